import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, IsString } from 'class-validator';
import { cutText } from '../../common/cut-text';
import { hashLongText } from '../../common/hash-long-text';

/** Characters kept of a text that a phone reports about itself. */
const MAX_TEXT_CHARACTERS = 512;

/** Longer than any token Firebase issues; FCM itself refuses longer ones. */
const MAX_TOKEN_CHARACTERS = 4_096;

// A phone whose heartbeat is refused goes offline, so none of these is refused for its length.

const optionalPhoneText = (
  description: string,
  example: string | undefined,
  fit: (text: string) => string | undefined,
): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, description, example }),
    Transform(({ value }: { value: unknown }) => {
      if (value === null || value === '') return undefined;
      return typeof value === 'string' ? fit(value) : value;
    }),
    IsOptional(),
    IsString(),
  );

/** Text that may be absent; empty means absent; only its first 512 characters are kept. */
export const PhoneText = (description: string, example?: string): PropertyDecorator =>
  optionalPhoneText(description, example, (text) => cutText(text, MAX_TEXT_CHARACTERS));

/** A push token that may be absent. Part of a token is useless, so one that is too long counts as absent. */
export const PhoneToken = (description: string, example?: string): PropertyDecorator =>
  optionalPhoneText(description, example, (text) => (text.length > MAX_TOKEN_CHARACTERS ? undefined : text));

/** Text that identifies something. A long one is replaced by its hash: two that begin alike stay two. */
export const PhoneIdentifier = (description: string, example?: string): PropertyDecorator =>
  optionalPhoneText(description, example, (text) => hashLongText(text, MAX_TEXT_CHARACTERS));
