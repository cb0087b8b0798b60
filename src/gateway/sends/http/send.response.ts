import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, OptionalCount, OptionalTime } from '../../../common/http/responses/fields';
import { type PlatformResponse, rawResponseOf } from '../../../common/http/connections/raw-http';
import { type Encoding, ENCODINGS } from '../../../messages/text/segments';
import type { SkippedRecipients } from '../../send-input/skip-unreadable';
import type { SendResult } from '../send.service';

export class SkippedRecipientResponse {
  @OptionalCount('Entry of a send with several, from 0', 0)
  entry?: number;

  @ApiProperty({
    type: 'integer',
    description: 'Place among the recipients of the entry, from 0',
    example: 3,
  })
  index!: number;

  @ApiProperty({ description: 'What was given, its first 40 characters', example: '4.47E+11' })
  value!: string;

  @ApiProperty({
    description: 'Why it is no phone number, and what to do',
    example: 'is not a phone number: 3 to 15 digits, with or without a leading +',
  })
  reason!: string;
}

/** What was left out of a send with onInvalidNumber: skip. */
export class SkippedRecipientsResponse {
  @OptionalCount('Recipients that were left out, with onInvalidNumber: skip', 1)
  skippedCount?: number;

  @ApiPropertyOptional({
    type: [SkippedRecipientResponse],
    description: 'The first 100 of them',
    maxItems: 100,
  })
  skippedRecipients?: SkippedRecipientResponse[];
}

/** Those fields, if something was left out. */
export const toSkippedFields = (
  skipped: SkippedRecipients | undefined,
): { readonly [Field in keyof SkippedRecipientsResponse]: SkippedRecipientsResponse[Field] } =>
  skipped ? { skippedCount: skipped.count, skippedRecipients: [...skipped.first] } : {};

export class SendResponse extends SkippedRecipientsResponse {
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
  { batch, replayed, size, skipped }: SendResult,
  response: PlatformResponse,
): SendResponse {
  if (replayed) rawResponseOf(response).setHeader('Idempotency-Replayed', 'true');
  const { recipientCount: count, cancelledCount = 0 } = batch;
  return {
    success: true,
    message: `${outcomeOf(count, cancelledCount)}${skippedText(skipped?.count)}`,
    smsBatchId: batch._id.toHexString(),
    recipientCount: count,
    ...size,
    ...toSkippedFields(skipped),
    ...(cancelledCount > 0 && { cancelledCount }),
    estimatedCompletionAt: batch.estimatedCompletionAt,
  };
}

function skippedText(count: number | undefined): string {
  if (count === undefined) return '';
  return `; ${count === 1 ? '1 recipient is no phone number and was' : `${count} recipients are no phone numbers and were`} left out`;
}

function outcomeOf(count: number, cancelled: number): string {
  const messages = `${count} ${count === 1 ? 'message' : 'messages'}`;
  if (cancelled === 0) return `${messages} queued`;
  const which =
    cancelled < count ? `${cancelled} of ${messages} ${cancelled === 1 ? 'was' : 'were'}` : 'This send was';
  return `${which} cancelled; to send again, use another Idempotency-Key`;
}
