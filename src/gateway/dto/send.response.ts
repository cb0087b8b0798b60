import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, TimeIfKnown } from '../../common/http/fields';
import { type PlatformResponse, rawResponseOf } from '../../common/http/raw-http';
import type { Batch } from '../../messages/batch.schema';
import type { Sent } from '../send.service';

/** What an accepted send answers. */
export class SendResponse {
  @ApiProperty({ type: Boolean, enum: [true], description: 'Always true' })
  success!: boolean;

  @ApiProperty({
    type: String,
    description: 'The outcome in words; of a repeated send also whether it was cancelled',
    example: '1 message queued',
  })
  message!: string;

  @Id('Follow the send with it')
  smsBatchId!: string;

  @ApiProperty({ type: Number, description: 'Messages queued, one a recipient', example: 1 })
  recipientCount!: number;

  @ApiPropertyOptional({
    type: Number,
    description: 'Only on the answer to a repeated send that was cancelled: how many of its messages were',
    example: 1,
  })
  cancelledCount?: number;

  @TimeIfKnown(
    'When a send that is released in waves will be done, from its size and the device send delay; holds only while the device stays online',
  )
  estimatedCompletionAt?: Date;
}

/** The answer to a send; one that an earlier request had led to says so in a header. */
export function answerSend({ batch, replayed }: Sent, response: PlatformResponse): SendResponse {
  if (replayed) rawResponseOf(response).setHeader('Idempotency-Replayed', 'true');
  return toSendResponse(batch);
}

function toSendResponse(batch: Batch): SendResponse {
  const { recipientCount: count, cancelledCount = 0 } = batch;
  return {
    success: true,
    message: outcomeOf(count, cancelledCount),
    smsBatchId: batch._id.toHexString(),
    recipientCount: count,
    ...(cancelledCount > 0 && { cancelledCount }),
    estimatedCompletionAt: batch.estimatedCompletionAt,
  };
}

function outcomeOf(count: number, cancelled: number): string {
  const messages = `${count} ${count === 1 ? 'message' : 'messages'}`;
  if (cancelled === 0) return `${messages} queued`;
  const which =
    cancelled < count ? `${cancelled} of ${messages} ${cancelled === 1 ? 'was' : 'were'}` : 'This send was';
  return `${which} cancelled; to send again, use another Idempotency-Key`;
}
