import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsNumber, IsOptional, ValidateNested } from 'class-validator';
import { OptionalString, OptionalBoolean, OptionalText } from '../../../common/http/requests/fields';
import { MAX_ENCRYPTED_BYTES, MAX_CODE_POINTS, MAX_RECIPIENTS } from '../../send-input/send-limits';
import { ForeignSendNames } from './foreign-send-fields';
import type { SendEntryInput, SendInput } from '../../send-input/send-input';
import { SendOptionsRequest } from './send-options.request';

/** A bound before `validateSend`, which counts code points instead of UTF-16 units. */
export const MAX_RAW_TEXT_LENGTH = 1_000_000;

/** Older integrations send numbers as strings, and an empty string for none. */
function parseNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = value.trim();
  if (text === '') return undefined;
  return /^\d{1,10}$/.test(text) ? Number(text) : value;
}

export class SendEntryRequest implements SendEntryInput {
  @OptionalString(
    `Message text, up to ${MAX_CODE_POINTS} characters; long messages are split by the carrier. Required unless smsBody is set`,
    'Your code is 123456',
    MAX_RAW_TEXT_LENGTH,
  )
  message?: string;

  @ApiPropertyOptional({
    type: [String],
    description:
      'Phone numbers in international format, as text; each is one message. Spaces, dots, dashes and brackets between groups of digits, tel: and the national prefix after the country code, as in +44 (0)7700, are removed; what is not one number is rejected. Required unless receivers or listId is set',
    example: ['+447700900123'],
    minItems: 1,
    maxItems: MAX_RECIPIENTS,
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_RECIPIENTS)
  recipients?: unknown[];

  @OptionalString(
    'Id of a list or segment of contacts, in place of recipients: each contact that is a member when the send is accepted gets a message at its first number. With an Idempotency-Key, a repeated request has the recipients of the first one',
    '665f1c2ab7e1d4a9c0f3e812',
  )
  listId?: string;

  @ApiPropertyOptional({
    description:
      "subscriptionId from the device's simInfo; the default is the device's default SIM. 0 means the default unless the device lists it",
    example: 1,
  })
  @Transform(({ value }: { value: unknown }) => parseNumber(value))
  @IsOptional()
  @IsNumber()
  simSubscriptionId?: number;

  @OptionalString(
    'When to send: ISO 8601 with a zone, in the future, at most 30 days ahead. The default is immediately',
    '2026-01-31T09:00:00+01:00',
  )
  scheduledAt?: string;

  @OptionalBoolean(
    'Whether the text is end-to-end encrypted: set encryptedMessage instead of message; the device must have registered with supportsEncryption',
  )
  encrypted?: boolean;

  @OptionalText(
    `Encrypted text, up to ${MAX_ENCRYPTED_BYTES} bytes, sent to the phone unchanged; only with encrypted`,
    'v1:kJ2m0Q9xWb7t4nZs8eYh3A==',
    MAX_RAW_TEXT_LENGTH,
  )
  encryptedMessage?: string;

  @ApiPropertyOptional({ deprecated: true })
  @OptionalString(
    'Alias of message, used only when message is absent',
    'Your code is 123456',
    MAX_RAW_TEXT_LENGTH,
  )
  smsBody?: string;

  @ApiPropertyOptional({
    type: [String],
    description: 'Alias of recipients, used only when recipients is absent',
    example: ['+447700900123'],
    deprecated: true,
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_RECIPIENTS)
  receivers?: unknown[];
}

const PoolId = (): PropertyDecorator =>
  OptionalString(
    'Pool whose SIMs send the messages, instead of a device. The default is the default pool, if there is one and neither a device nor a SIM is named',
    '665f1c2ab7e1d4a9c0f3e830',
  );

@ForeignSendNames()
export class SendSmsRequest extends IntersectionType(SendEntryRequest, SendOptionsRequest) {
  @OptionalString(
    'Device to send from. The default is the default device, otherwise the enabled device with the latest heartbeat',
    '665f1c2ab7e1d4a9c0f3e812',
  )
  deviceId?: string;

  @PoolId()
  poolId?: string;

  toSendInput(): SendInput {
    return { entries: [this], deviceId: this.deviceId, poolId: this.poolId, options: this };
  }
}

@ForeignSendNames()
export class SendBulkSmsRequest extends SendOptionsRequest {
  @ApiProperty({
    type: [SendEntryRequest],
    description: 'Texts with their recipients',
    minItems: 1,
    maxItems: MAX_RECIPIENTS,
  })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(MAX_RECIPIENTS)
  @ValidateNested({ each: true })
  @Type(() => SendEntryRequest)
  messages!: SendEntryRequest[];

  @OptionalText('Label for the batch', 'Hi {name}', MAX_RAW_TEXT_LENGTH)
  messageTemplate?: string;

  @OptionalString('Device to send from, selected as in send-sms', '665f1c2ab7e1d4a9c0f3e812')
  deviceId?: string;

  @PoolId()
  poolId?: string;

  toSendInput(): SendInput {
    return bulkSendInput(this, this.messages);
  }
}

export function bulkSendInput(
  request: Omit<SendBulkSmsRequest, 'messages' | 'toSendInput'>,
  entries: readonly SendEntryInput[],
): SendInput {
  const { deviceId, poolId, messageTemplate } = request;
  return { entries, entriesField: 'messages', deviceId, poolId, messageTemplate, options: request };
}
