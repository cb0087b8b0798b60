import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, Type } from 'class-transformer';
import { IsArray, IsIn, IsNumber, IsObject, IsOptional, ValidateNested } from 'class-validator';
import { OptionalFlag, OptionalNonZero, OptionalNumber, OptionalText } from '../../common/http/fields';
import { DeviceFacts, SimFacts } from '../device-facts';
import { PUSH_TRANSPORTS, type PushTransportName, type Sim } from '../device.schema';

/** A SIM as a phone reports it. A zero is a real value in here. */
export class SimRequest implements Sim {
  @ApiProperty({ type: Number, description: 'Android subscription id', example: 1 })
  @IsNumber()
  subscriptionId!: number;

  @OptionalText('ICCID of the SIM card', '8949020000000000000')
  iccId?: string;

  @OptionalNumber('Android card id of the SIM slot', 0)
  cardId?: number;

  @OptionalText('Mobile network operator', 'Example Mobile')
  carrierName?: string;

  @OptionalText('Label the user gave the SIM', 'Work')
  displayName?: string;

  @OptionalNumber('Physical slot, starting at 0', 0)
  simSlotIndex?: number;

  @OptionalText('Mobile country code', '262')
  mcc?: string;

  @OptionalText('Mobile network code', '02')
  mnc?: string;

  @OptionalText('Two-letter country code of the SIM', 'de')
  countryIso?: string;

  @OptionalText('PHYSICAL_SIM or ESIM', 'PHYSICAL_SIM')
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
    typeof value === 'number' || typeof value === 'string' ? value : undefined,
  )
  @IsOptional()
  lastUpdated?: number | string;

  @ApiProperty({ type: [SimRequest], description: 'The SIMs of the phone' })
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => SimRequest)
  sims!: SimRequest[];
}

/** What a phone says of itself; every field may be missing, and a registration is never refused for it. */
export class DeviceRequest implements DeviceFacts {
  @OptionalText('Firebase Cloud Messaging token of the app', 'cXk3b1pQ:APA91bH7zFq', 4096)
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
    'Whether the device may send and receive. A phone that registers again is not switched on by it',
  )
  enabled?: boolean;

  @OptionalText('Device brand', 'google')
  brand?: string;

  @OptionalText('Device manufacturer', 'Google')
  manufacturer?: string;

  @OptionalText('Device model', 'Pixel 8')
  model?: string;

  @OptionalText('Label for the device', 'Office phone')
  name?: string;

  @OptionalText('Android build id', 'AP2A.240805.005')
  buildId?: string;

  @OptionalText('Operating system name', 'Android')
  os?: string;

  @OptionalText('Android release', '14')
  osVersion?: string;

  @OptionalNonZero('Android SDK level', 34)
  osApiLevel?: number;

  @OptionalText(
    'Android build fingerprint',
    'google/shiba/shiba:14/AP2A.240805.005/12025142:user/release-keys',
  )
  osBuildFingerprint?: string;

  // Android says "unknown" to apps that may not read it.
  @Transform(({ value }: { value: unknown }) => (value === 'unknown' ? undefined : value))
  @OptionalText('Serial of the hardware; how a phone that registers again is recognised', 'HT7A1B2C3D4')
  serial?: string;

  @OptionalText('Companion app version', '2.7.1')
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
