import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsMongoId, IsNotEmpty, IsString } from 'class-validator';
import { truncateText } from '../../common/text/truncate-text';
import { PhoneRequest } from '../../common/http/requests/request-shape';
import type { StatusReport } from '../../messages/reports/status-report';
import { MAX_ENCRYPTED_BYTES } from '../../gateway/send-input/send-limits';
import { UnvalidatedField, IntegerOrAbsent, TextOrAbsent, TimeOrAbsent } from './fields-or-absent.decorator';

const MAX_STATUS_CHARACTERS = 64;

/** @returns an invalid date if the phone sent a number out of range. */
const timeOf = (millis: number | undefined): Date | undefined =>
  millis === undefined ? undefined : new Date(millis);

@PhoneRequest()
export class StatusReportRequest {
  @ApiProperty({ description: 'Message id', example: '665f1c2ab7e1d4a9c0f3e812' })
  @IsMongoId()
  smsId!: string;

  @TextOrAbsent('Batch of the message', '665f1c2ab7e1d4a9c0f3e813', 64)
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

  @TimeOrAbsent('When it was sent, in epoch milliseconds')
  sentAtInMillis?: number;

  @TimeOrAbsent('When it was delivered, in epoch milliseconds')
  deliveredAtInMillis?: number;

  @TimeOrAbsent('When it failed, in epoch milliseconds')
  failedAtInMillis?: number;

  @TimeOrAbsent('When the phone received the push, in epoch milliseconds')
  pushReceivedAtInMillis?: number;

  @TimeOrAbsent('When the phone passed it to the radio, in epoch milliseconds')
  sendAttemptedAtInMillis?: number;

  @TextOrAbsent('Android send result, or an error code of the app', '4', 64)
  errorCode?: string;

  @TextOrAbsent('Reason as text', 'No service', 1_000)
  errorMessage?: string;

  @IntegerOrAbsent('subscriptionId of the SIM it was sent from', 1)
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

@PhoneRequest()
export class ReceivedSmsRequest {
  @UnvalidatedField(
    'string',
    'Sender as the phone reports it: a number, a short code or a name; the first 256 characters are kept. Absent or empty if it is hidden: it is then stored as unknown',
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

  @UnvalidatedField(
    'number',
    'When the phone received it, in epoch milliseconds; replaced by the time of the upload if it is before 2000 or more than a day ahead',
    1767225600000,
  )
  receivedAtInMillis?: unknown;

  @UnvalidatedField(
    'string',
    'When the phone received it, in ISO 8601; used if receivedAtInMillis is absent or cannot be right',
    '2026-01-31T12:00:00.000Z',
  )
  receivedAt?: unknown;

  @UnvalidatedField(
    'string',
    'MD5 hex of sender|message|timestampMillis; identifies the upload. Computed by the server if absent',
    '9e107d9d372bb6826bd81d3542a419d6',
  )
  fingerprint?: unknown;

  @UnvalidatedField(
    'number',
    'Android subscription id of the SIM that received it; automatic replies to STOP and HELP leave by this SIM',
    1,
  )
  simSubscriptionId?: unknown;
}

@PhoneRequest()
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
