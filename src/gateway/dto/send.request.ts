import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsNumber, IsOptional, ValidateNested } from 'class-validator';
import { OptionalDecision, OptionalFlag, OptionalText } from '../../common/http/fields';
import { MAX_ENCRYPTED_BYTES, MOST_CODE_POINTS, MOST_RECIPIENTS } from '../send-limits';
import { RawEntry, RawOrder } from '../send-order';

/** Longer than any text that is accepted; the exact rule counts characters, not UTF-16 units. */
const LONGEST_RAW_TEXT = 1_000_000;

/** Older tools write numbers as texts, and an empty text for none. */
function readNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return undefined;
  return /^\d{1,10}$/.test(text) ? Number(text) : value;
}

/** One text to its recipients. */
export class SendEntryRequest implements RawEntry {
  @OptionalText(
    `Message text, up to ${MOST_CODE_POINTS} characters; long messages are split by the carrier. Required, unless smsBody is given`,
    'Your code is 123456',
    LONGEST_RAW_TEXT,
  )
  message?: string;

  @ApiPropertyOptional({
    type: [String],
    description:
      'Phone numbers in international format; each is one message. Spaces, dots, dashes, brackets, tel: and a (0) behind the country code are removed. Required, unless receivers is given',
    example: ['+447700900123'],
    minItems: 1,
    maxItems: MOST_RECIPIENTS,
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MOST_RECIPIENTS)
  recipients?: unknown[];

  @ApiPropertyOptional({
    type: Number,
    description:
      "subscriptionId from the device's simInfo; without it the device's default SIM is used. 0 is absent unless the device lists it",
    example: 1,
  })
  @Transform(({ value }: { value: unknown }) => readNumber(value))
  @IsOptional()
  @IsNumber()
  simSubscriptionId?: number;

  @OptionalDecision(
    'When to send: ISO 8601 with a zone, in the future, at most 30 days ahead. Without it, now',
    '2026-01-31T09:00:00+01:00',
  )
  scheduledAt?: string;

  @OptionalFlag(
    'Whether the text is end-to-end encrypted: encryptedMessage then stands in place of message, and the device must have registered supportsEncryption',
  )
  encrypted?: boolean;

  @OptionalText(
    `Encrypted text, up to ${MAX_ENCRYPTED_BYTES} bytes, handed to the phone as it is; only with encrypted`,
    'v1:kJ2m0Q9xWb7t4nZs8eYh3A==',
    LONGEST_RAW_TEXT,
  )
  encryptedMessage?: string;

  @ApiPropertyOptional({ deprecated: true })
  @OptionalText('Alias of message, used only when message is absent', 'Your code is 123456', LONGEST_RAW_TEXT)
  smsBody?: string;

  @ApiPropertyOptional({
    type: [String],
    description: 'Alias of recipients, used only when recipients is absent',
    example: ['+447700900123'],
    deprecated: true,
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MOST_RECIPIENTS)
  receivers?: unknown[];
}

export class SendSmsRequest extends SendEntryRequest {
  @OptionalDecision(
    'Device to send from. Without it the default device, otherwise the enabled one with the latest heartbeat',
    '665f1c2ab7e1d4a9c0f3e812',
  )
  deviceId?: string;

  toOrder(): RawOrder {
    return { entries: [this], deviceId: this.deviceId };
  }
}

export class SendBulkSmsRequest {
  @ApiProperty({
    type: [SendEntryRequest],
    description: 'Texts with their recipients',
    minItems: 1,
    maxItems: MOST_RECIPIENTS,
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MOST_RECIPIENTS)
  @ValidateNested({ each: true })
  @Type(() => SendEntryRequest)
  messages!: SendEntryRequest[];

  @OptionalText('Label for the batch', 'Hi {name}', LONGEST_RAW_TEXT)
  messageTemplate?: string;

  @OptionalDecision('Device to send from, chosen as in send-sms', '665f1c2ab7e1d4a9c0f3e812')
  deviceId?: string;

  toOrder(): RawOrder {
    return {
      entries: this.messages,
      entriesField: 'messages',
      deviceId: this.deviceId,
      messageTemplate: this.messageTemplate,
    };
  }
}
