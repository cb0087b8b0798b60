import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength, MinLength } from 'class-validator';
import { OptionalField } from '../../../common/http/requests/fields';
import { Printable } from '../../../common/http/requests/text-rules';
import { UnsuggestedFields } from '../../../common/http/requests/request-shape';

const MAX_NAME_LENGTH = 64;
const MAX_QUERY_LENGTH = 2_000;

const NAME_SCHEMA = {
  type: String,
  minLength: 1,
  maxLength: MAX_NAME_LENGTH,
  description: 'Name, unique within the account',
  example: 'Failed this year',
};
const QUERY_SCHEMA = {
  type: String,
  maxLength: MAX_QUERY_LENGTH,
  description: 'The query string of GET gateway/messages; empty for all messages',
  example: 'status=failed&from=2026-01-01',
};

const Name = () => applyDecorators(IsString(), MinLength(1), MaxLength(MAX_NAME_LENGTH), Printable());
const QueryText = () => applyDecorators(IsString(), MaxLength(MAX_QUERY_LENGTH));

@UnsuggestedFields()
export class ViewRequest {
  @ApiProperty(NAME_SCHEMA)
  @Name()
  name!: string;

  @ApiProperty(QUERY_SCHEMA)
  @QueryText()
  query!: string;
}

/** Absent fields stay unchanged. */
@UnsuggestedFields()
export class ViewPatchRequest {
  @ApiPropertyOptional(NAME_SCHEMA)
  @OptionalField()
  @Name()
  name?: string;

  @ApiPropertyOptional(QUERY_SCHEMA)
  @OptionalField()
  @QueryText()
  query?: string;
}
