import type { StreamableFile } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Page } from '../../common/http/responses/envelope.interceptor';
import { jsonListItems, streamJson } from '../../common/http/responses/json-stream';
import type { MessageListMeta, MessagePage } from '../lists/message-list.service';
import type { MessageView } from '../messages.service';
import { MessageResponse, toMessageResponse } from './message.response';

export class MessageListMetaResponse implements MessageListMeta {
  @ApiPropertyOptional({ type: 'integer', description: 'Page number; absent with a cursor', example: 1 })
  page?: number;

  @ApiProperty({ type: 'integer', description: 'Messages per page', example: 50 })
  limit!: number;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Matching messages; absent with a cursor',
    example: 120,
  })
  total?: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Number of pages; absent with a cursor', example: 3 })
  totalPages?: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Cursor of the next page; null on the last page',
    example: 'MTc2OTg2MDgwMDAwMC42NjVmMWMyYWI3ZTFkNGE5YzBmM2U4MTIuZGVzYw',
  })
  nextCursor!: string | null;

  @ApiProperty({ description: 'Whether there are more messages' })
  hasMore!: boolean;
}

/** Builds the response of a page; a page with large messages is streamed. */
export async function toMessagePageResponse<Meta extends object>(
  { items }: MessagePage,
  meta: Meta,
): Promise<Page<MessageResponse, Meta> | StreamableFile> {
  if (Symbol.iterator in items) return new Page(items.map(toMessageResponse), meta);
  return streamJson(pageJson(items, meta));
}

async function* pageJson(items: AsyncIterable<MessageView>, meta: object): AsyncGenerator<string> {
  yield '{"data":[';
  yield* jsonListItems(items, toMessageResponse);
  yield `],"meta":${JSON.stringify(meta)}}`;
}
