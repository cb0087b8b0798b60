import { ApiProperty } from '@nestjs/swagger';
import { Id, TimeIfKnown } from '../../common/http/fields';
import { type PlatformResponse, rawResponseOf } from '../../common/http/raw-http';
import type { Batch } from '../../messages/batch.schema';
import type { Sent } from '../send.service';

/** What an accepted send answers. */
export class SendResponse {
  @ApiProperty({ type: Boolean, enum: [true], description: 'Always true' })
  success!: boolean;

  @ApiProperty({ type: String, description: 'The outcome in words', example: '1 message queued' })
  message!: string;

  @Id('Follow the send with it')
  smsBatchId!: string;

  @ApiProperty({ type: Number, description: 'Messages queued, one a recipient', example: 1 })
  recipientCount!: number;

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
  const count = batch.recipientCount;
  return {
    success: true,
    message: `${count} ${count === 1 ? 'message' : 'messages'} queued`,
    smsBatchId: batch._id.toHexString(),
    recipientCount: count,
    estimatedCompletionAt: batch.estimatedCompletionAt,
  };
}
