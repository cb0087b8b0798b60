import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { normalizePhoneNumber } from '../../phone-number';
import { isPrintable } from '../../text/printable';

const LINK =
  /:\/\/|\bwww\.|\b[a-z\d-]+\.(?:com|net|org|info|biz|io|co|app|dev|xyz|top|site|online|shop|club|click)\b/i;

/** A rule for texts; other rules say whether a value is one. @param problem follows the name of the field. */
export const TextRule = (
  name: string,
  isValid: (text: string) => boolean,
  problem: string,
): PropertyDecorator =>
  ValidateBy(
    { name, validator: { validate: (value) => typeof value !== 'string' || isValid(value) } },
    { message: `$property ${problem}` },
  );

/** Rejects control characters and direction marks. */
export const Printable = (): PropertyDecorator =>
  TextRule('isPrintable', isPrintable, 'must not contain control characters');

/** A name that is shown to other people, for example in mails: no control characters and no links. */
export const PlainName = (): PropertyDecorator =>
  applyDecorators(
    Printable(),
    TextRule('isNotLink', (text) => !LINK.test(text), 'must not contain a web address'),
  );

export const IsPhoneNumberText = (): PropertyDecorator =>
  TextRule(
    'isPhoneNumber',
    (text) => normalizePhoneNumber(text) !== null,
    'must be a phone number: 3 to 15 digits, with or without a leading +',
  );
