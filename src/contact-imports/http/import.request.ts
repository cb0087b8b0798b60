import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsMongoId, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { TEXT_ENCODINGS } from '../../common/csv/decode-text';
import { Printable } from '../../common/http/requests/text-rules';
import {
  Cursor,
  OptionalChoice,
  OptionalInteger,
  OptionalParameter,
} from '../../common/http/requests/query-fields';
import { TOPIC, TOPIC_RULE } from '../../gateway/send-input/topic';
import { DEFAULT_LIMIT, MAX_PAGE_SIZE } from '../../messages/lists/message-query';
import { EXISTING_CHOICES, type ExistingChoice } from '../store/import.schema';
import { MAX_COLUMNS } from '../reading/map-columns';

const MAX_FILE_NAME_LENGTH = 200;
const MAX_LIST_NAME_LENGTH = 64;
const MAX_TAGS_LENGTH = 2_000;

/** Texts, each in a parameter of its own. */
const RepeatedParameter = (description: string, example: readonly string[]): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: String, isArray: true, description, example }),
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value)),
    IsOptional(),
    IsString({ each: true }),
    ArrayMaxSize(MAX_COLUMNS),
  );

/** How to read a file. */
export class FileRequest {
  @OptionalParameter('Name of the file, to find the import again', 'customers.csv')
  @MaxLength(MAX_FILE_NAME_LENGTH)
  fileName?: string;

  @OptionalChoice(
    'Encoding of a file without a byte order mark. Without it, UTF-8, or UTF-16 if the file looks like it',
    TEXT_ENCODINGS,
  )
  encoding?: string;

  @OptionalChoice('Whether the first row names the columns; by default, unless there is a number in it', [
    'true',
    'false',
  ])
  header?: 'true' | 'false';

  @RepeatedParameter(
    'What the columns hold, one parameter for each, in their order: name, firstName, middleName, lastName, number, number:Label, label, tags, notes, language, field:Name or ignore. Without it, by their names',
    ['name', 'number', 'field:City'],
  )
  column?: string[];
}

export class ContactImportRequest extends FileRequest {
  @OptionalParameter('List whose members the contacts become', '665f1c2ab7e1d4a9c0f3e812')
  @IsMongoId({ message: '$property is not a valid id' })
  listId?: string;

  @OptionalParameter('Name of the list, instead of its id; it is created if there is none', 'Customers')
  @MaxLength(MAX_LIST_NAME_LENGTH)
  @Printable()
  list?: string;

  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.join(',') : value))
  @OptionalParameter('Tags that all contacts get, with commas between them', 'customers,2026')
  @MaxLength(MAX_TAGS_LENGTH)
  tags?: string;

  @OptionalChoice(
    'What becomes of contacts that exist. update: they get what the file has; what is empty there stays. skip: they only get the tags and become members of the list',
    EXISTING_CHOICES,
    { default: 'update' },
  )
  onExisting?: ExistingChoice;
}

export class SuppressionImportRequest extends FileRequest {
  @OptionalParameter('Only sends that declare this topic are stopped; absent: those of all topics', 'offers')
  @Matches(TOPIC, { message: `$property ${TOPIC_RULE}` })
  topic?: string;
}

export class ImportListRequest {
  @Cursor()
  cursor?: string;

  @OptionalInteger('Imports per page', 1, MAX_PAGE_SIZE, DEFAULT_LIMIT)
  limit?: number;
}
