import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { Count, OptionalTime } from '../../common/http/responses/fields';
import type { SmsPayload } from '../../gateway/push-commands/sms-command';
import { MessageListMetaResponse } from '../../messages/lists/http/message-list.response';

export class PhonePageMeta extends PickType(MessageListMetaResponse, ['limit'] as const) {
  @Count('Page number', 1)
  page!: number;

  @Count('Total number of messages', 120)
  total!: number;

  @Count('Total number of pages', 3)
  totalPages!: number;
}

export function toPhonePageMeta({
  page = 1,
  limit,
  total = 0,
  totalPages = 0,
}: MessageListMetaResponse): PhonePageMeta {
  return { page, limit, total, totalPages };
}

/** A message for the phone to send; the same object as in its push. */
export class PendingSmsResponse implements SmsPayload {
  @ApiProperty({ description: 'Message id', example: '665f1c2ab7e1d4a9c0f3e812' })
  smsId!: string;

  @ApiProperty({ description: 'Batch id', example: '665f1c2ab7e1d4a9c0f3e813' })
  smsBatchId!: string;

  @ApiProperty({ description: 'Text; empty if it is encrypted', example: 'Hello' })
  message!: string;

  @ApiPropertyOptional({ description: 'Whether the text is end-to-end encrypted' })
  encrypted?: true;

  @ApiPropertyOptional({
    description: 'The encrypted text, for the phone to decrypt',
    example: 'v1:kJ2m0Q9xWb7t4nZs8eYh3A==',
  })
  encryptedMessage?: string;

  @ApiProperty({ type: [String], description: 'The recipient; always one', example: ['+447700900123'] })
  recipients!: readonly string[];

  @ApiPropertyOptional({ description: 'SIM to send from', example: 1 })
  simSubscriptionId?: number;

  @OptionalTime('The phone must not send it at or after this time, and reports it as FAILED with EXPIRED')
  validUntil?: Date;
}
