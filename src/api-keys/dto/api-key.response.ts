import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { KEY_KINDS, type KeyKind } from '../../auth/api-key.schema';
import { KEY_STATUSES, type KeyRecord, type KeyStatus } from '../../auth/api-keys.repository';
import { Id, Time, TimeIfKnown } from '../../common/http/fields';

/** A key as its owner sees it. The key itself is never shown again. */
export class ApiKeyResponse {
  @Id('API key id')
  _id!: string;

  @ApiProperty({ type: String, description: 'What the key is for', example: 'Office phone' })
  name!: string;

  @ApiProperty({ type: String, description: 'The beginning of the key', example: 'mgw_abcd******' })
  apiKey!: string;

  @ApiProperty({ enum: KEY_KINDS, description: 'A full key opens the account, a phone key one phone' })
  kind!: KeyKind;

  @ApiPropertyOptional({ type: String, description: 'The device a phone key is bound to or was made for' })
  deviceId?: string;

  @TimeIfKnown('When a phone key expires unless a phone binds it before')
  expiresAt?: Date;

  @ApiProperty({ enum: KEY_STATUSES, description: 'A revoked key opens nothing' })
  status!: KeyStatus;

  @TimeIfKnown('When it was last used, to the minute')
  lastUsedAt?: Date;

  @ApiPropertyOptional({
    type: String,
    description: 'The network address it was last used from; of an IPv6 address, its /64',
    example: '203.0.113.7',
  })
  lastUsedFrom?: string;

  @Time('When it was made')
  createdAt!: Date;

  @TimeIfKnown('When it was revoked')
  revokedAt?: Date;
}

export function toApiKeyResponse(key: KeyRecord): ApiKeyResponse {
  return {
    _id: key._id.toHexString(),
    name: key.name,
    apiKey: `${key.start ?? ''}******`,
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
