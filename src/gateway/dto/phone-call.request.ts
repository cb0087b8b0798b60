import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsMongoId, IsNotEmpty, IsString } from 'class-validator';
import { truncateText } from '../../common/text/truncate-text';
import { LenientRequest } from '../../common/http/requests/request-shape';
import type { StatusReport } from '../../messages/reports/status-report';
import { MAX_ENCRYPTED_BYTES } from '../sends/send-limits';
import { UnvalidatedField, LenientInteger, LenientText, LenientTime } from './lenient-fields.decorator';

const MAX_STATUS_CHARACTERS = 64;

const timeOf = (millis: number | undefined): Date | undefined =>
  millis === undefined ? undefined : new Date(millis);

@LenientRequest()
export class StatusReportRequest {
  @ApiProperty({ description: 'Message id', example: '665f1c2ab7e1d4a9c0f3e812' })
  @IsMongoId()
  smsId!: string;

  @LenientText('Batch of the message', '665f1c2ab7e1d4a9c0f3e813', 64)
  smsBatchId?: string;

  @ApiProperty({
    description: `SENT, DELIVERED, FAILED, or another status of the phone; not case-sensitive. Only the first ${MAX_STATUS_CHARACTERS} characters are kept`,
    minLength: 1,
    example: 'SENT',
  })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? truncateText(value, MAX_STATUS_CHARACTERS) : value,
  )
  @IsString()
  @IsNotEmpty()
  status!: string;

  @LenientTime('When it was sent, in epoch milliseconds')
  sentAtInMillis?: number;

  @LenientTime('When it was delivered, in epoch milliseconds')
  deliveredAtInMillis?: number;

  @LenientTime('When it failed, in epoch milliseconds')
  failedAtInMillis?: number;

  @LenientTime('When the phone received the push, in epoch milliseconds')
  pushReceivedAtInMillis?: number;

  @LenientTime('When the phone passed it to the radio, in epoch milliseconds')
  sendAttemptedAtInMillis?: number;

  @LenientText('Android send result, or an error code of the app', '4', 64)
  errorCode?: string;

  @LenientText('Reason as text', 'No service', 1_000)
  errorMessage?: string;

  @LenientInteger('subscriptionId of the SIM it was sent from', 1)
  simUsed?: number;

  toReport(): StatusReport {
    const { status, errorCode, errorMessage, simUsed } = this;
    return {
      status,
      sentAt: timeOf(this.sentAtInMillis),
      deliveredAt: timeOf(this.deliveredAtInMillis),
      failedAt: timeOf(this.failedAtInMillis),
      pushReceivedAt: timeOf(this.pushReceivedAtInMillis),
      sendAttemptedAt: timeOf(this.sendAttemptedAtInMillis),
      errorCode,
      errorMessage,
      simUsed,
    };
  }
}

@LenientRequest()
export class ReceivedSmsRequest {
  @UnvalidatedField(
    'string',
    'Sender as the phone reports it: a number, a short code or a name; the first 256 characters are kept',
    '+447700900123',
  )
  sender?: unknown;

  @UnvalidatedField('string', 'Text of the message; the first 10,000 characters are kept', 'Hello')
  message?: unknown;

  @UnvalidatedField('boolean', 'true if the text is end-to-end encrypted, in encryptedMessage', false)
  encrypted?: unknown;

  @UnvalidatedField(
    'string',
    `Encrypted text, instead of message; the first ${MAX_ENCRYPTED_BYTES} bytes are kept`,
    'v1:kJ2m0Q9xWb7t4nZs8eYh3A==',
  )
  encryptedMessage?: unknown;

  @UnvalidatedField('number', 'When the phone received it, in epoch milliseconds', 1767225600000)
  receivedAtInMillis?: unknown;

  @UnvalidatedField('string', 'When the phone received it, in ISO 8601', '2026-01-31T12:00:00.000Z')
  receivedAt?: unknown;

  @UnvalidatedField(
    'string',
    'MD5 hex of sender|message|timestampMillis; identifies the upload. Computed by the server if absent',
    '9e107d9d372bb6826bd81d3542a419d6',
  )
  fingerprint?: unknown;
}

@LenientRequest()
export class AcknowledgeRequest {
  @ApiProperty({
    type: [String],
    description: 'Message ids',
    minItems: 1,
    maxItems: 1_000,
    example: ['665f1c2ab7e1d4a9c0f3e812'],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1_000)
  @IsMongoId({ each: true })
  smsIds!: string[];
}
