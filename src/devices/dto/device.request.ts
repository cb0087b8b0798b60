import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsArray, IsIn, IsNumber, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { LenientRequest } from '../../common/http/body-shape';
import { OptionalFlag, OptionalNonZero, OptionalNumber } from '../../common/http/fields';
import { DeviceFacts, SimFacts } from '../device-facts';
import { PUSH_TRANSPORTS, type PushTransportName, type Sim } from '../device.schema';
import { PhoneIdentifier, PhoneText, PhoneToken } from './phone-fields';
import { PlainName } from '../../common/http/plain-name';

/** Phones have two or three SIMs; of a longer list the first are kept. */
const MAX_SIMS = 8;

/** Longer than any time in ISO 8601. */
const MAX_TIME_CHARACTERS = 64;

/** A SIM as a phone reports it. A zero is a real value in here. */
export class SimRequest implements Sim {
  @ApiProperty({ type: Number, description: 'Android subscription id', example: 1 })
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

export class SimInfoRequest implements SimFacts {
  @ApiPropertyOptional({
    oneOf: [{ type: 'number' }, { type: 'string' }],
    description: 'Epoch milliseconds or ISO 8601',
    example: 1767225600000,
  })
  // Whatever else it is, it is no time.
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_TIME_CHARACTERS)
      ? value
      : undefined,
  )
  @IsOptional()
  lastUpdated?: number | string;

  @ApiProperty({ type: [SimRequest], description: `The SIMs of the phone; the first ${MAX_SIMS} are kept` })
  @Transform(({ value }: { value: unknown }) =>
    Array.isArray(value) ? (value as unknown[]).slice(0, MAX_SIMS) : value,
  )
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => SimRequest)
  sims!: SimRequest[];
}

/** What a phone says of itself; every field may be missing, and a registration is never refused for it. */
@LenientRequest()
export class DeviceRequest implements DeviceFacts {
  @PhoneToken('Firebase Cloud Messaging token of the app', 'cXk3b1pQ:APA91bH7zFq')
  fcmToken?: string;

  @ApiPropertyOptional({
    enum: PUSH_TRANSPORTS,
    description: 'How the phone is pushed to. Without it, an fcmToken means fcm',
    example: 'fcm',
  })
  @IsOptional()
  @IsIn(PUSH_TRANSPORTS)
  pushTransport?: PushTransportName;

  @OptionalFlag(
    'Whether the phone reads the event `cancel` on its stream and answers it. Messages it has not acknowledged can then be taken back',
  )
  supportsCancel?: boolean;

  @OptionalFlag('Whether the app decrypts encryptedMessage of what it is handed; only then is it sent any')
  supportsEncryption?: boolean;

  @OptionalFlag(
    'Whether the device may send and receive. A phone that registers again is not switched on by it',
  )
  enabled?: boolean;

  @PhoneText('Device brand', 'google')
  brand?: string;

  @PhoneText('Device manufacturer', 'Google')
  manufacturer?: string;

  @PhoneText('Device model', 'Pixel 8')
  model?: string;

  @PhoneText('Label for the device', 'Office phone')
  @PlainName()
  name?: string;

  @PhoneText('Android build id', 'AP2A.240805.005')
  buildId?: string;

  @PhoneText('Operating system name', 'Android')
  os?: string;

  @PhoneText('Android release', '14')
  osVersion?: string;

  @OptionalNonZero('Android SDK level', 34)
  osApiLevel?: number;

  @PhoneText('Android build fingerprint', 'google/shiba/shiba:14/AP2A.240805.005/12025142:user/release-keys')
  osBuildFingerprint?: string;

  // Android says "unknown" to apps that may not read it.
  @Transform(({ value }: { value: unknown }) => (value === 'unknown' ? undefined : value))
  @PhoneIdentifier('Serial of the hardware; how a phone that registers again is recognised', 'HT7A1B2C3D4')
  serial?: string;

  @PhoneText('Companion app version', '2.7.1')
  appVersionName?: string;

  @OptionalNonZero('Companion app version code', 41)
  appVersionCode?: number;

  @ApiPropertyOptional({
    type: SimInfoRequest,
    description: 'The SIMs of the phone, and when they were read',
  })
  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => SimInfoRequest)
  simInfo?: SimInfoRequest;
}
