import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, OptionalCount, OptionalTime } from '../../../common/http/responses/fields';
import { type PlatformResponse, rawResponseOf } from '../../../common/http/raw-http';
import { type Encoding, ENCODINGS } from '../../../messages/text/segments';
import type { SendResult } from '../send.service';

export class SendResponse {
  @ApiProperty({ enum: [true], description: 'Always true' })
  success!: boolean;

  @ApiProperty({
    description:
      'The outcome as text; in the response to a repeated send, also whether messages were cancelled since',
    example: '1 message queued',
  })
  message!: string;

  @Id('Batch id, to follow the send')
  smsBatchId!: string;

  @ApiProperty({ description: 'Messages accepted, one per recipient', example: 1 })
  recipientCount!: number;

  @OptionalCount('SMS parts of one message; absent if the texts differ or one is end-to-end encrypted', 1)
  segments?: number;

  @OptionalCount('SMS parts of all messages; absent if a text is end-to-end encrypted', 1)
  parts?: number;

  @ApiPropertyOptional({
    enum: ENCODINGS,
    description: 'Encoding of all messages; absent if they differ or one is end-to-end encrypted',
    example: 'GSM-7',
  })
  encoding?: Encoding;

  @ApiPropertyOptional({
    description: 'Only in the response to a repeated send: how many of its messages were cancelled since',
    example: 1,
  })
  cancelledCount?: number;

  @OptionalTime(
    'Estimated completion of a send in waves, from its SMS parts, the pace of the phone and earlier campaigns; valid only while the phone stays online',
  )
  estimatedCompletionAt?: Date;
}

/** Responds to a send, with the header Idempotency-Replayed for a repeated request. */
export function respondToSend(
  { batch, replayed, size }: SendResult,
  response: PlatformResponse,
): SendResponse {
  if (replayed) rawResponseOf(response).setHeader('Idempotency-Replayed', 'true');
  const { recipientCount: count, cancelledCount = 0 } = batch;
  return {
    success: true,
    message: outcomeOf(count, cancelledCount),
    smsBatchId: batch._id.toHexString(),
    recipientCount: count,
    ...size,
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
