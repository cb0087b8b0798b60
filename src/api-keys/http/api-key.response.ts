import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { KEY_KINDS, type KeyKind } from '../../auth/api-keys/api-key.schema';
import { KEY_STATUSES, type KeyRecord, type KeyStatus } from '../../auth/api-keys/api-keys.repository';
import { Id, Time, OptionalTime } from '../../common/http/responses/fields';

/** An API key without its secret part. */
export class ApiKeyResponse {
  @Id('API key id')
  _id!: string;

  @ApiProperty({ description: 'What the key is for', example: 'Office phone' })
  name!: string;

  @ApiProperty({ description: 'The first characters of the key', example: 'mgw_abcd******' })
  apiKey!: string;

  @ApiProperty({
    enum: KEY_KINDS,
    description: 'Whether the key gives access to the account or to one phone',
  })
  kind!: KeyKind;

  @ApiPropertyOptional({ description: 'The device a phone key is bound to or was created for' })
  deviceId?: string;

  @OptionalTime('When a phone key expires unless a phone binds it first')
  expiresAt?: Date;

  @ApiProperty({ enum: KEY_STATUSES, description: 'A revoked key is refused' })
  status!: KeyStatus;

  @OptionalTime('When it was last used, to the minute')
  lastUsedAt?: Date;

  @ApiPropertyOptional({
    description: 'The IP address it was last used from; for IPv6, the /64 network',
    example: '203.0.113.7',
  })
  lastUsedFrom?: string;

  @Time('When it was created')
  createdAt!: Date;

  @OptionalTime('When it was revoked')
  revokedAt?: Date;
}

export function toApiKeyResponse(key: KeyRecord): ApiKeyResponse {
  return {
    _id: key._id.toHexString(),
    name: key.name,
    apiKey: `${key.start}******`,
    kind: key.kind ?? 'full',
    deviceId: key.device?.toHexString(),
    expiresAt: key.expiresAt,
    status: key.revokedAt ? 'revoked' : 'active',
    lastUsedAt: key.lastUsedAt,
    lastUsedFrom: key.lastUsedFrom,
    createdAt: key.createdAt,
    revokedAt: key.revokedAt,
  };
}
