import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { MessageListMeta } from '../message-list.service';

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
