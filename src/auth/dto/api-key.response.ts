import { ApiProperty } from '@nestjs/swagger';
import { Id, Time, TimeIfKnown } from '../../common/http/fields';
import { KEY_STATUSES, type KeyRecord, type KeyStatus } from '../api-keys.repository';

/** A key as its owner sees it. The key itself is never shown again. */
export class ApiKeyResponse {
  @Id('API key id')
  _id!: string;

  @ApiProperty({ type: String, description: 'What the key is for', example: 'Office phone' })
  name!: string;

  @ApiProperty({ type: String, description: 'The beginning of the key', example: 'mgw_abcd******' })
  apiKey!: string;

  @ApiProperty({ enum: KEY_STATUSES, description: 'A revoked key opens nothing' })
  status!: KeyStatus;

  @TimeIfKnown('When it was last used, to the minute')
  lastUsedAt?: Date;

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
    status: key.revokedAt ? 'revoked' : 'active',
    lastUsedAt: key.lastUsedAt,
    createdAt: key.createdAt,
    revokedAt: key.revokedAt,
  };
}
