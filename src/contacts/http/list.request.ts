import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsMongoId, IsObject, ValidateNested } from 'class-validator';
import { ValidationFailed } from '../../common/errors';
import { OptionalField, OptionalText, UniqueName } from '../../common/http/requests/fields';
import { UnsuggestedFields } from '../../common/http/requests/request-shape';
import { MAX_FIELD_NAME_LENGTH, MAX_FIELD_VALUE_LENGTH, MAX_TAG_LENGTH } from '../store/contact-limits';
import type { SegmentCondition } from '../lists/contact-list.schema';

const MAX_MEMBERS_PER_REQUEST = 1_000;
const NAME_NOTE = ', ignoring case and accents';

@UnsuggestedFields()
export class SegmentRequest {
  @OptionalText('Contacts with this tag', 'customer', MAX_TAG_LENGTH)
  tag?: string;

  @OptionalText('Contacts whose field of this name has the value', 'city', MAX_FIELD_NAME_LENGTH)
  field?: string;

  @OptionalText('Value of the field, ignoring case and accents', 'Leeds', MAX_FIELD_VALUE_LENGTH)
  value?: string;
}

const Segment = (description: string) =>
  applyDecorators(
    ApiPropertyOptional({ type: SegmentRequest, description, example: { tag: 'customer' } }),
    OptionalField(),
    IsObject(),
    ValidateNested(),
    Type(() => SegmentRequest),
  );

@UnsuggestedFields()
export class ListRequest {
  @UniqueName('Newsletter', { note: NAME_NOTE })
  name!: string;

  @Segment('Makes it a segment, whose members are the contacts with a tag, or with a value of a field')
  segment?: SegmentRequest;
}

/** Absent fields stay unchanged. */
@UnsuggestedFields()
export class ListPatchRequest {
  @UniqueName('Newsletter', { isOptional: true, note: NAME_NOTE })
  name?: string;

  @Segment('Another condition of a segment')
  segment?: SegmentRequest;
}

/** @throws ValidationFailed unless it is one condition. */
export function toSegmentCondition({ tag, field, value }: SegmentRequest): SegmentCondition {
  const [tagText, fieldName, fieldValue] = [tag?.trim(), field?.trim(), value?.trim()];
  if (tagText && !fieldName && !fieldValue) return { tag: tagText };
  if (fieldName && fieldValue && !tagText) return { field: { name: fieldName, value: fieldValue } };
  throw ValidationFailed.of('segment', 'must have a tag, or a field and its value');
}

@UnsuggestedFields()
export class ListMembersRequest {
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MAX_MEMBERS_PER_REQUEST,
    description: 'Ids of contacts',
    example: ['665f1c2ab7e1d4a9c0f3e812'],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_MEMBERS_PER_REQUEST)
  @IsMongoId({ each: true, message: '$property must be a list of valid ids' })
  contactIds!: string[];
}
