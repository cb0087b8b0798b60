import { Transform } from 'class-transformer';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import { NullableField, OptionalString, OptionalText } from '../../../common/http/requests/fields';
import {
  Cursor,
  OptionalChoice,
  OptionalInteger,
  OptionalParameter,
} from '../../../common/http/requests/query-fields';
import { DEFAULT_LIMIT, MAX_PAGE_SIZE } from '../../lists/message-query';

const MAX_NOTE_LENGTH = 2_000;

export class ConversationListRequest {
  @Cursor()
  cursor?: string;

  @OptionalInteger('Conversations per page', 1, MAX_PAGE_SIZE, DEFAULT_LIMIT)
  limit?: number;

  @OptionalText(
    'Matches the number in every spelling, the note literally, ignoring case, and the beginning of words of the name of the contact. Fails after 2 s',
    '7700 900',
  )
  search?: string;

  @OptionalChoice('true: only conversations with unread messages', ['true', 'false'], { default: 'false' })
  unread?: 'true' | 'false';

  @OptionalChoice('true: only conversations whose newest message is a received one', ['true', 'false'], {
    default: 'false',
  })
  unanswered?: 'true' | 'false';

  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.join(',') : value))
  @OptionalParameter(
    'Only conversations whose newest message is of one of these devices: comma-separated ids, or the parameter repeated',
    '665f1c2ab7e1d4a9c0f3e812,665f1c2ab7e1d4a9c0f3e813',
  )
  deviceIds?: string;
}

export class ConversationReadRequest {
  @OptionalString(
    'Id of the received message up to which the conversation was read; messages that were stored later stay unread. Absent: all',
    '665f1c2ab7e1d4a9c0f3e812',
  )
  through?: string;
}

export class ConversationPatchRequest {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: MAX_NOTE_LENGTH,
    description: 'Note of the account about the number; null or an empty text removes it',
    example: 'Prefers to be called after five',
  })
  @NullableField()
  @IsString()
  @MaxLength(MAX_NOTE_LENGTH)
  note?: string | null;
}
