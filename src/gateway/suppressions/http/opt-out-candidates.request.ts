import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { ValidationFailed } from '../../../common/errors';
import { OptionalField } from '../../../common/http/requests/fields';
import { OptionalParameter } from '../../../common/http/requests/query-fields';
import { UnsuggestedFields } from '../../../common/http/requests/request-shape';
import { INVALID_CURSOR } from '../../../messages/lists/message-query';

const MAX_CURSOR_LENGTH = 2_048;
const EXAMPLE = 'KzQ0NzcwMDkwMDEyMw';

export class OptOutCandidateListRequest {
  @OptionalParameter('nextCursor of the previous part', EXAMPLE)
  cursor?: string;
}

@UnsuggestedFields()
export class SuppressCandidatesRequest {
  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_CURSOR_LENGTH,
    description: 'nextCursor of the previous part; absent: from the first one',
    example: EXAMPLE,
  })
  @OptionalField('')
  @IsString()
  @MaxLength(MAX_CURSOR_LENGTH)
  cursor?: string;
}

export const encodeNumberCursor = (number: string | undefined): string | null =>
  number === undefined ? null : Buffer.from(number).toString('base64url');

/** @returns the number after which a part begins. @throws ValidationFailed */
export function decodeNumberCursor(cursor: string | undefined): string {
  if (cursor === undefined) return '';
  const number = Buffer.from(cursor, 'base64url').toString();
  if (encodeNumberCursor(number) !== cursor) throw ValidationFailed.of('cursor', INVALID_CURSOR);
  return number;
}
