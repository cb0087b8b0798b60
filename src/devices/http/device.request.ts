import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsArray, IsIn, IsNumber, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { PhoneRequest } from '../../common/http/requests/request-shape';
import {
  AbsentWhen,
  OptionalBoolean,
  OptionalNumberZeroAsAbsent,
  OptionalNumber,
} from '../../common/http/requests/fields';
import type { SimInfoEntry } from '../store/device.schema';
import { REGISTERED_TRANSPORTS } from '../../common/push-transports';
import type { DeviceAttributes, SimAttributes } from '../store/device-attributes';
import { PhoneIdentifier, PhoneLabel, PhoneText, PhoneToken } from './phone-fields';
import { PlainName } from '../../common/http/requests/text-rules';
import { Limit, MAX_PARTS_PER_MINUTE } from '../sims/http/sim.request';

/** Phones have two or three SIMs; further list entries are dropped. */
const MAX_SIMS = 8;

const MAX_TIME_CHARACTERS = 64;

@ApiSchema({ name: 'SimRequest' })
export class SimInfoEntryRequest implements SimInfoEntry {
  @ApiProperty({ description: 'Android subscription id', example: 1 })
  @IsNumber()
  subscriptionId!: number;

  @PhoneText('ICCID of the SIM card', '8949020000000000000')
  iccId?: string;

  @OptionalNumber('Android card id of the SIM slot', 0)
  cardId?: number;

  @PhoneText('Mobile network operator', 'Example Mobile')
  carrierName?: string;

  @PhoneText('Label the user gave the SIM', 'Work')
  displayName?: string;

  @OptionalNumber('Physical slot, starting at 0', 0)
  simSlotIndex?: number;

  @PhoneText('Mobile country code', '262')
  mcc?: string;

  @PhoneText('Mobile network code', '02')
  mnc?: string;

  @PhoneText('Two-letter country code of the SIM', 'de')
  countryIso?: string;

  @PhoneText('PHYSICAL_SIM or ESIM', 'PHYSICAL_SIM')
  subscriptionType?: string;
}

export class SimInfoRequest implements SimAttributes {
  @ApiPropertyOptional({
    oneOf: [{ type: 'number' }, { type: 'string' }],
    description: 'Epoch milliseconds or ISO 8601',
    example: 1767225600000,
  })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_TIME_CHARACTERS)
      ? value
      : undefined,
  )
  @IsOptional()
  lastUpdated?: number | string;

  @ApiProperty({
    type: [SimInfoEntryRequest],
    description: `The SIMs of the phone; the first ${MAX_SIMS} are kept`,
  })
  @Transform(({ value }: { value: unknown }) =>
    Array.isArray(value) ? (value as unknown[]).slice(0, MAX_SIMS) : value,
  )
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => SimInfoEntryRequest)
  sims!: SimInfoEntryRequest[];
}

@PhoneRequest()
export class DeviceRequest implements DeviceAttributes {
  @PhoneToken('Firebase Cloud Messaging token of the app', 'cXk3b1pQ:APA91bH7zFq')
  fcmToken?: string;

  @ApiPropertyOptional({
    enum: REGISTERED_TRANSPORTS,
    description: 'Push transport of the phone. Defaults to fcm if fcmToken is given',
    example: 'fcm',
  })
  @IsOptional()
  @IsIn(REGISTERED_TRANSPORTS)
  pushTransport?: (typeof REGISTERED_TRANSPORTS)[number];

  @OptionalBoolean(
    'Whether the phone handles the event `cancel` on its stream. Messages it has not acknowledged can then be cancelled',
  )
  supportsCancel?: boolean;

  @OptionalBoolean('Whether the app decrypts encryptedMessage; encrypted messages are sent only to such apps')
  supportsEncryption?: boolean;

  @OptionalBoolean(
    'Whether the device may send and receive: the switch of the phone if a phone key sets it, else that of its owner; both must be on. Ignored when a known phone registers again',
  )
  enabled?: boolean;

  @PhoneText('Device brand', 'google')
  brand?: string;

  @PhoneText('Device manufacturer', 'Google')
  manufacturer?: string;

  @PhoneText('Device model', 'Pixel 8')
  model?: string;

  @PhoneLabel('Label for the device', 'Office phone')
  @PlainName()
  name?: string;

  @PhoneText('Android build id', 'AP2A.240805.005')
  buildId?: string;

  @PhoneText('Operating system name', 'Android')
  os?: string;

  @PhoneText('Android release', '14')
  osVersion?: string;

  @OptionalNumberZeroAsAbsent('Android SDK level', 34)
  osApiLevel?: number;

  @PhoneText('Android build fingerprint', 'google/shiba/shiba:14/AP2A.240805.005/12025142:user/release-keys')
  osBuildFingerprint?: string;

  // Android returns "unknown" to apps without permission to read it.
  @AbsentWhen((value) => value === 'unknown')
  @PhoneIdentifier('Hardware serial; identifies a phone that registers again', 'HT7A1B2C3D4')
  serial?: string;

  @PhoneText('Companion app version', '2.7.1')
  appVersionName?: string;

  @OptionalNumberZeroAsAbsent('Companion app version code', 41)
  appVersionCode?: number;

  @Limit(
    'SMS parts a minute that the phone can send; null if it has no limit. Defaults to 24, because Android limits apps to 30',
    MAX_PARTS_PER_MINUTE,
    24,
  )
  partsPerMinute?: number | null;

  @OptionalNumber(
    'Subscription id of the SIM for messages that name none, if a SIM of the phone has limits or is disabled. Defaults to the lowest slot',
    1,
  )
  defaultSim?: number;

  @ApiPropertyOptional({ description: 'The SIMs of the phone, with the time they were read' })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => SimInfoRequest)
  simInfo?: SimInfoRequest;
}
