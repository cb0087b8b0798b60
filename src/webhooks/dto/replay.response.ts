import { ApiProperty } from '@nestjs/swagger';
import { writeCursor } from '../../messages/message-cursor';
import type { Replay } from '../redelivery.service';

/** What a replay has put back on its way. */
export class ReplayResponse {
  @ApiProperty({ type: 'integer', description: 'Deliveries that are due now', example: 37 })
  scheduledCount!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Pass it as cursor to go on: one request takes 5,000 deliveries at most; null when it was all',
  })
  nextCursor!: string | null;
}

export function toReplayResponse({ scheduledCount, next }: Replay): ReplayResponse {
  return { scheduledCount, nextCursor: next ? writeCursor({ ...next, order: 'asc' }) : null };
}
