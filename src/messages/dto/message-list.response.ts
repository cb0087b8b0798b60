import type { StreamableFile } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Page } from '../../common/http/envelope.interceptor';
import { jsonItems, streamedJson } from '../../common/http/json-stream';
import type { MessageListMeta, OpenPage } from '../message-list.service';
import { MessageResponse, toMessageResponse } from './message.response';

/** Where a message list stands. */
export class MessageListMetaResponse implements MessageListMeta {
  @ApiPropertyOptional({ type: 'integer', description: 'Page number; without a cursor only', example: 1 })
  page?: number;

  @ApiProperty({ type: 'integer', description: 'Messages on a page', example: 50 })
  limit!: number;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'Messages that match; without a cursor only',
    example: 120,
  })
  total?: number;

  @ApiPropertyOptional({ type: 'integer', description: 'Pages in all; without a cursor only', example: 3 })
  totalPages?: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Pass it as cursor to read on; null on the final page',
    example: 'MTc2OTg2MDgwMDAwMC42NjVmMWMyYWI3ZTFkNGE5YzBmM2U4MTIuZGVzYw',
  })
  nextCursor!: string | null;

  @ApiProperty({ type: Boolean, description: 'Whether there are messages after these' })
  hasMore!: boolean;
}

/** Writes a page of messages: at once, or as they are read where they are large. */
export async function answerPage<Meta extends object>(
  { isLarge, items }: OpenPage,
  meta: Meta,
): Promise<Page<MessageResponse, Meta> | StreamableFile> {
  if (isLarge) return streamedJson(pageJson(items, meta));
  const responses: MessageResponse[] = [];
  for await (const view of items) responses.push(toMessageResponse(view));
  return new Page(responses, meta);
}

async function* pageJson(items: OpenPage['items'], meta: object): AsyncGenerator<string> {
  yield '{"data":[';
  yield* jsonItems(items, toMessageResponse);
  yield `],"meta":${JSON.stringify(meta)}}`;
}
