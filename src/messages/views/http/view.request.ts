import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { OptionalField, UniqueName } from '../../../common/http/requests/fields';
import { UnsuggestedFields } from '../../../common/http/requests/request-shape';

const MAX_QUERY_LENGTH = 2_000;

const QUERY_SCHEMA = {
  type: String,
  maxLength: MAX_QUERY_LENGTH,
  description: 'The query string of GET gateway/messages; empty for all messages',
  example: 'status=failed&from=2026-01-01',
};

const QueryText = () => applyDecorators(IsString(), MaxLength(MAX_QUERY_LENGTH));

@UnsuggestedFields()
export class ViewRequest {
  @UniqueName('Failed this year')
  name!: string;

  @ApiProperty(QUERY_SCHEMA)
  @QueryText()
  query!: string;
}

/** Absent fields stay unchanged. */
@UnsuggestedFields()
export class ViewPatchRequest {
  @UniqueName('Failed this year', { isOptional: true })
  name?: string;

  @ApiPropertyOptional(QUERY_SCHEMA)
  @OptionalField()
  @QueryText()
  query?: string;
}
