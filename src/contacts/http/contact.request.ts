import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsMongoId,
  IsString,
  Matches,
  MaxLength,
  MinLength,
  ValidateNested,
} from 'class-validator';
import { IsDictionary, NullableField, OptionalField, OptionalText } from '../../common/http/requests/fields';
import { Printable } from '../../common/http/requests/text-rules';
import { OptionalInteger, OptionalParameter } from '../../common/http/requests/query-fields';
import { UnsuggestedFields } from '../../common/http/requests/request-shape';
import type { ContactInput, ContactNumberInput } from '../store/contact-input';
import {
  MAX_FIELD_CHARACTERS,
  MAX_FIELD_NAME_LENGTH,
  MAX_FIELD_VALUE_LENGTH,
  MAX_FIELDS,
  MAX_LABEL_LENGTH,
  MAX_NAME_LENGTH,
  MAX_NOTES_LENGTH,
  MAX_NUMBER_LENGTH,
  MAX_NUMBERS,
  MAX_TAG_LENGTH,
  MAX_TAGS,
} from '../store/contact-limits';

const DEFAULT_LIMIT = 50;
const MAX_PAGE_SIZE = 100;
const LANGUAGE = /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}$/;

@UnsuggestedFields()
export class ContactNumberRequest implements ContactNumberInput {
  @ApiProperty({
    type: String,
    maxLength: MAX_NUMBER_LENGTH,
    description:
      'Number in any spelling, or the name of a sender. Without its country code it is read in the default country of the account, else in that of its first SIM',
    example: '+447700900123',
  })
  @IsString()
  @MinLength(1)
  @MaxLength(MAX_NUMBER_LENGTH)
  @Printable()
  number!: string;

  @OptionalText('What it is for', 'Work', MAX_LABEL_LENGTH)
  @Printable()
  label?: string;
}

const Numbers = () =>
  applyDecorators(
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(MAX_NUMBERS),
    ValidateNested({ each: true }),
    Type(() => ContactNumberRequest),
  );
const NUMBERS_SCHEMA = {
  type: ContactNumberRequest,
  isArray: true,
  minItems: 1,
  maxItems: MAX_NUMBERS,
  description: 'Numbers of the person, which no other contact has; sends to a list go to the first one',
};

/** What a contact has beside its numbers. */
@UnsuggestedFields()
export class ContactDetailsRequest {
  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_NAME_LENGTH,
    description: 'Name',
    example: 'Ana Marín',
  })
  @OptionalField()
  @IsString()
  @MaxLength(MAX_NAME_LENGTH)
  @Printable()
  name?: string;

  @ApiPropertyOptional({
    type: 'object',
    maxProperties: MAX_FIELDS,
    additionalProperties: { type: 'string', maxLength: MAX_FIELD_VALUE_LENGTH },
    description:
      `Fields of your own, by name: at most ${MAX_FIELDS}, with names of up to ${MAX_FIELD_NAME_LENGTH} characters and values of ` +
      `up to ${MAX_FIELD_VALUE_LENGTH}, ${MAX_FIELD_CHARACTERS} together. An empty value removes a field; fields that are not given stay`,
    example: { city: 'Leeds' },
  })
  @OptionalField()
  @IsDictionary(MAX_FIELDS, 0)
  fields?: Record<string, unknown>;

  @ApiPropertyOptional({
    type: [String],
    maxItems: MAX_TAGS,
    description: 'Tags; they differ by more than case and accents. Replaces all',
    example: ['customer'],
  })
  @OptionalField()
  @IsArray()
  @ArrayMaxSize(MAX_TAGS)
  @IsString({ each: true })
  @MaxLength(MAX_TAG_LENGTH, { each: true })
  tags?: string[];

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_NOTES_LENGTH,
    description: 'Notes; null or an empty text removes them',
    example: 'Prefers to be called after five',
  })
  @NullableField()
  @IsString()
  @MaxLength(MAX_NOTES_LENGTH)
  notes?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    pattern: LANGUAGE.source,
    description: 'Language of the person, a tag such as en or pt-BR; null removes it',
    example: 'en',
  })
  @NullableField()
  @Matches(LANGUAGE, { message: '$property must be a language tag such as en or pt-BR' })
  language?: string | null;
}

@UnsuggestedFields()
export class ContactRequest extends ContactDetailsRequest {
  @ApiProperty(NUMBERS_SCHEMA)
  @Numbers()
  numbers!: ContactNumberRequest[];
}

/** Absent fields stay unchanged. */
@UnsuggestedFields()
export class ContactPatchRequest extends ContactDetailsRequest {
  @ApiPropertyOptional({ ...NUMBERS_SCHEMA, description: `${NUMBERS_SCHEMA.description}. Replaces all` })
  @OptionalField()
  @Numbers()
  numbers?: ContactNumberRequest[];
}

export const toContactInput = ({ notes, language, ...rest }: Partial<ContactRequest>): ContactInput => ({
  ...rest,
  ...(notes !== undefined && { notes: notes ?? '' }),
  ...(language !== undefined && { language: language ?? '' }),
});

@UnsuggestedFields()
export class ContactMergeRequest {
  @ApiProperty({
    type: String,
    description: 'Id of the contact that is merged into this one, and removed',
    example: '665f1c2ab7e1d4a9c0f3e813',
  })
  @IsMongoId({ message: '$property is not a valid id' })
  contactId!: string;
}

/** A page of contacts. */
export class ContactPageRequest {
  @OptionalParameter('nextCursor of the previous page', 'NjY1ZjFjMmFiN2UxZDRhOWMwZjNlODEyLmFuYSBtYXJpbg')
  cursor?: string;

  @OptionalInteger(
    'Contacts per page; a page with large contacts may have fewer',
    1,
    MAX_PAGE_SIZE,
    DEFAULT_LIMIT,
  )
  limit?: number;
}

export class ContactListRequest extends ContactPageRequest {
  @OptionalParameter(
    'The beginning of words of the name, ignoring case and accents, or of a number in any spelling. Finds at most 5,000 contacts',
    'ana mar',
  )
  search?: string;

  @OptionalParameter('Only the contact with this number, in any spelling', '+447700900123')
  number?: string;

  @OptionalParameter('Only contacts with this tag, ignoring case and accents', 'customer')
  tag?: string;

  @OptionalParameter('Only contacts whose field of this name has the value in value', 'city')
  field?: string;

  @OptionalParameter('Value of the field, ignoring case and accents', 'Leeds')
  value?: string;

  @OptionalParameter('Only members of this list or segment', '665f1c2ab7e1d4a9c0f3e812')
  listId?: string;
}
