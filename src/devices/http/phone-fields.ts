import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, IsString } from 'class-validator';
import { sanitizeLine } from '../../common/text/printable';
import { truncateText } from '../../common/text/truncate-text';
import { hashLongText } from '../../common/text/hash-long-text';

const MAX_TEXT_CHARACTERS = 512;

/** FCM rejects longer tokens. */
const MAX_TOKEN_CHARACTERS = 4_096;

// Long values are shortened instead of rejected, because a phone whose heartbeat is rejected goes offline.

const optionalPhoneText = (
  description: string,
  example: string | undefined,
  limit: (text: string) => string | undefined,
): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, description, example }),
    Transform(({ value }: { value: unknown }) => {
      if (value === null || value === '') return undefined;
      return typeof value === 'string' ? limit(value) : value;
    }),
    IsOptional(),
    IsString(),
  );

/** Optional text; empty counts as absent; cut to 512 characters; a space for each control character. */
export const PhoneText = (description: string, example?: string): PropertyDecorator =>
  optionalPhoneText(description, example, (text) => sanitizeLine(truncateText(text, MAX_TEXT_CHARACTERS)));

/** Optional text that an owner may set, too: control characters stay, to be rejected. */
export const PhoneLabel = (description: string, example?: string): PropertyDecorator =>
  optionalPhoneText(description, example, (text) => truncateText(text, MAX_TEXT_CHARACTERS));

/** Optional push token; a token that is too long counts as absent. */
export const PhoneToken = (description: string, example?: string): PropertyDecorator =>
  optionalPhoneText(description, example, (text) => (text.length > MAX_TOKEN_CHARACTERS ? undefined : text));

/** Optional identifier; a long one is replaced by its hash, so that it stays unique. */
export const PhoneIdentifier = (description: string, example?: string): PropertyDecorator =>
  optionalPhoneText(description, example, (text) => hashLongText(text, MAX_TEXT_CHARACTERS));
