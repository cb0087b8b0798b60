import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsMongoId,
  IsOptional,
  IsString,
  Length,
  ValidateNested,
} from 'class-validator';
import { OptionalFlag, OptionalNonZero, OptionalNumber, OptionalText } from '../../common/http/fields';
import { HeartbeatFacts } from '../../devices/device-facts';
import { SimInfoRequest } from '../../devices/dto/device.request';
import type { StatusReport } from '../../messages/status-report';
import type { IncomingSms } from '../incoming.service';

/** A time a phone gives; what cannot be a time is absent. */
function timeOf(millisOrText: number | string | undefined): Date | undefined {
  const time = millisOrText === undefined ? undefined : new Date(millisOrText);
  return time && !Number.isNaN(time.getTime()) ? time : undefined;
}

/** A phone's report on a message it was given. Times are epoch milliseconds; zero means absent. */
export class StatusReportRequest {
  @ApiProperty({ type: String, example: '665f1c2ab7e1d4a9c0f3e812' })
  @IsMongoId()
  smsId!: string;

  @OptionalText('Batch of the message')
  smsBatchId?: string;

  @ApiProperty({
    type: String,
    description: 'SENT, DELIVERED, FAILED, or what else the phone saw',
    example: 'SENT',
  })
  @IsString()
  @Length(1, 64)
  status!: string;

  @OptionalNonZero('When it was sent')
  sentAtInMillis?: number;

  @OptionalNonZero('When it was delivered')
  deliveredAtInMillis?: number;

  @OptionalNonZero('When it failed')
  failedAtInMillis?: number;

  @OptionalNonZero('When the phone received the push')
  pushReceivedAtInMillis?: number;

  @OptionalNonZero('When the phone handed it to the radio')
  sendAttemptedAtInMillis?: number;

  @OptionalText('Android send result, or a code of the app', '4', 64)
  errorCode?: string;

  @OptionalText('Reason in words', undefined, 1_000)
  errorMessage?: string;

  toReport(): StatusReport {
    return {
      status: this.status,
      sentAt: timeOf(this.sentAtInMillis),
      deliveredAt: timeOf(this.deliveredAtInMillis),
      failedAt: timeOf(this.failedAtInMillis),
      pushReceivedAt: timeOf(this.pushReceivedAtInMillis),
      sendAttemptedAt: timeOf(this.sendAttemptedAtInMillis),
      errorCode: this.errorCode,
      errorMessage: this.errorMessage,
    };
  }
}

export class ReceivedSmsRequest {
  @OptionalText('Sender as the phone reports it: a number, a short code or a name', '+4915112345678')
  sender?: string;

  @OptionalText('Text of the message', 'Hello', 1_000_000)
  message?: string;

  @OptionalNonZero('When the phone received it, in epoch milliseconds', 1767225600000)
  receivedAtInMillis?: number;

  @OptionalText('When the phone received it, in ISO 8601', '2026-01-31T12:00:00.000Z')
  receivedAt?: string;

  @OptionalText('MD5 hex of sender|message|timestampMillis; identifies the upload')
  fingerprint?: string;

  toIncoming(): IncomingSms {
    return {
      sender: this.sender,
      message: this.message,
      receivedAt: timeOf(this.receivedAtInMillis ?? this.receivedAt),
      fingerprint: this.fingerprint,
    };
  }
}

export class HeartbeatRequest implements HeartbeatFacts {
  @OptionalText('Firebase Cloud Messaging token of the app', undefined, 4096)
  fcmToken?: string;

  // Phones report nonsense where they do not know their battery.
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'number' && (value < 0 || value > 100) ? undefined : value,
  )
  @OptionalNumber('Charge in percent', 80)
  batteryPercentage?: number;

  @OptionalFlag('Whether the battery is charging')
  isCharging?: boolean;

  @OptionalText('wifi, cellular or none', 'wifi')
  networkType?: string;

  @OptionalText('Companion app version', '2.7.1')
  appVersionName?: string;

  @OptionalNonZero('Companion app version code', 41)
  appVersionCode?: number;

  @OptionalText('Android release', '14')
  osVersion?: string;

  @OptionalNonZero('Android SDK level', 34)
  osApiLevel?: number;

  @OptionalNonZero('Milliseconds since boot')
  deviceUptimeMillis?: number;

  @OptionalNonZero('Free bytes of memory')
  memoryFreeBytes?: number;

  @OptionalNonZero('Allocated bytes of memory')
  memoryTotalBytes?: number;

  @OptionalNonZero('The most bytes of memory the app may use')
  memoryMaxBytes?: number;

  @OptionalNonZero('Free bytes of storage')
  storageAvailableBytes?: number;

  @OptionalNonZero('Bytes of storage in all')
  storageTotalBytes?: number;

  @OptionalText('Time zone of the phone', 'Europe/Berlin')
  timezone?: string;

  @OptionalText('Locale of the phone', 'de_DE')
  locale?: string;

  @OptionalFlag('Whether incoming messages are forwarded')
  receiveSMSEnabled?: boolean;

  @OptionalNumber('Seconds the phone waits between messages, 0 to 3600', 5)
  smsSendDelaySeconds?: number;

  @OptionalFlag('Whether the app is exempt from battery optimisation')
  isIgnoringBatteryOptimizations?: boolean;

  @OptionalFlag('Whether the phone is in Doze')
  isDeviceIdleMode?: boolean;

  @OptionalFlag('Whether the battery saver is on')
  isPowerSaveMode?: boolean;

  @ApiPropertyOptional({ type: SimInfoRequest })
  @IsOptional()
  @ValidateNested()
  @Type(() => SimInfoRequest)
  simInfo?: SimInfoRequest;
}

export class AcknowledgeRequest {
  @ApiProperty({
    type: [String],
    description: 'Messages the phone has',
    example: ['665f1c2ab7e1d4a9c0f3e812'],
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1_000)
  @IsMongoId({ each: true })
  smsIds!: string[];
}
