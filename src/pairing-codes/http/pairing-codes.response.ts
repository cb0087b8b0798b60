import { ApiProperty } from '@nestjs/swagger';
import { Id, OptionalId, Time } from '../../common/http/responses/fields';
import { ADDRESS_KINDS, APP_VARIANTS, type PhoneAddress } from '../addresses/phone-addresses';
import type { NewPairingCode, PairingProgress } from '../pairing-codes.service';

export class PhoneAddressResponse {
  @ApiProperty({ description: 'What is typed into the app', example: 'http://192.168.1.10:3000/sms' })
  url!: string;

  @ApiProperty({
    enum: ADDRESS_KINDS,
    description:
      'Where it works: everywhere, in the network of the service, or on a phone that is connected by USB',
  })
  kind!: PhoneAddress['kind'];

  @ApiProperty({
    enum: APP_VARIANTS,
    description: 'The variant of the app that can use it: `release` needs https, but by USB',
  })
  variant!: PhoneAddress['variant'];

  @ApiProperty({
    description: 'Where this variant of the app is downloaded',
    example: 'https://github.com/capcom6/android-sms-gateway/releases/download/v1.68.0/app-insecure.apk',
  })
  appUrl!: string;
}

export class NewPairingCodeResponse {
  @Id('Id of the code')
  id!: string;

  @ApiProperty({ description: 'Ten digits; this response alone has them', example: '4839201756' })
  code!: string;

  @Time('When it expires')
  expiresAt!: Date;

  @ApiProperty({
    type: [PhoneAddressResponse],
    description: 'The addresses by which a phone may reach the service, best first',
  })
  addresses!: PhoneAddressResponse[];
}

export class PairingCodeResponse {
  @Time('When it expires')
  expiresAt!: Date;

  @OptionalId('Id of the phone that has used the code')
  device?: string;
}

export class RedeemedPairingCodeResponse {
  @ApiProperty({ description: 'A phone key', example: 'mgw_3fZk0bQ9XvTnL7sRcY2mWd5hJpE8aUgK' })
  apiKey!: string;
}

/** The body of the 401. */
export class PairingCodeRefusedResponse {
  @ApiProperty({ description: 'What went wrong and what to do, as text' })
  error!: string;

  @ApiProperty({ enum: ['PAIRING_CODE_INVALID'], description: 'Always this code' })
  code!: string;
}

export function toNewPairingCodeResponse(
  { id, code, expiresAt }: NewPairingCode,
  addresses: readonly PhoneAddress[],
): NewPairingCodeResponse {
  return {
    id: id.toHexString(),
    code,
    expiresAt,
    addresses: addresses.map(({ url, kind, variant, appUrl }) => ({ url, kind, variant, appUrl })),
  };
}

export function toPairingCodeResponse({ expiresAt, device }: PairingProgress): PairingCodeResponse {
  return { expiresAt, device: device?.toHexString() };
}
