import { ApiProperty } from '@nestjs/swagger';
import type { Cancelled } from '../cancellation.service';

export class CancelResponse {
  @ApiProperty({ type: Boolean, enum: [true], description: 'Always true' })
  success!: boolean;

  @ApiProperty({ type: Number, description: 'Messages that are cancelled', example: 950 })
  cancelledCount!: number;

  @ApiProperty({
    type: Number,
    description:
      'Messages the phone has and was asked not to send; each is cancelled once the phone confirms, and stays as it is otherwise',
    example: 0,
  })
  requestedCount!: number;
}

export function toCancelResponse({ cancelledCount, requestedCount }: Cancelled): CancelResponse {
  return { success: true, cancelledCount, requestedCount };
}
