import { applyDecorators } from '@nestjs/common';
import { ValidateBy, type ValidationOptions } from 'class-validator';
import { isPrintable } from '../../text/printable';

const LINK =
  /:\/\/|\bwww\.|\b[a-z\d-]+\.(?:com|net|org|info|biz|io|co|app|dev|xyz|top|site|online|shop|club|click)\b/i;

const rule = (name: string, isValid: (text: string) => boolean, options: ValidationOptions) =>
  ValidateBy(
    { name, validator: { validate: (value) => typeof value !== 'string' || isValid(value) } },
    options,
  );

/** Rejects control characters and direction marks. */
export const Printable = (): PropertyDecorator =>
  rule('isPrintable', isPrintable, { message: '$property must not contain control characters' });

/** A name that is shown to other people, for example in mails: no control characters and no links. */
export const PlainName = (): PropertyDecorator =>
  applyDecorators(
    Printable(),
    rule('isNotLink', (text) => !LINK.test(text), { message: '$property must not contain a web address' }),
  );
