import type { StreamableFile } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Page } from '../../../common/http/responses/envelope.interceptor';
import { jsonPage, streamJson } from '../../../common/http/responses/json-stream';
import type { MessageListMeta, MessagePage } from '../message-list.service';
import { MessageResponse, toMessageResponse } from '../../http/message.response';
import { Count, NextCursor, OptionalCount } from '../../../common/http/responses/fields';

export class MessageListMetaResponse implements MessageListMeta {
  @OptionalCount('Page number; absent with a cursor', 1)
  page?: number;

  @Count('Messages per page', 50)
  limit!: number;

  @OptionalCount('Matching messages; absent with a cursor', 120)
  total?: number;

  @OptionalCount('Number of pages; absent with a cursor', 3)
  totalPages?: number;

  @NextCursor()
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
  return streamJson(jsonPage(items, toMessageResponse, meta));
}
