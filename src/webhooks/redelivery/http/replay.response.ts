import { ApiProperty } from '@nestjs/swagger';
import { encodeCursor } from '../../../messages/lists/message-cursor';
import type { ReplayResult } from '../webhook-redelivery.service';

export class ReplayResponse {
  @ApiProperty({ type: 'integer', description: 'Deliveries that are due now', example: 37 })
  scheduledCount!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Pass it as cursor to continue: a request replays at most 5,000 deliveries. null when all are replayed',
  })
  nextCursor!: string | null;
}

export function toReplayResponse({ scheduledCount, next }: ReplayResult): ReplayResponse {
  return { scheduledCount, nextCursor: next ? encodeCursor({ ...next, order: 'asc' }) : null };
}
