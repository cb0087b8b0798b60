import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsMongoId, IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { Types } from 'mongoose';
import { KEY_KINDS, type KeyKind } from '../../auth/api-keys/api-key.schema';
import { KEY_STATUSES, type KeyStatus } from '../../auth/api-keys/api-keys.repository';
import { ValidationFailed } from '../../common/errors';
import { OptionalField, OptionalText } from '../../common/http/requests/fields';
import { OptionalChoice } from '../../common/http/requests/query-fields';
import type { NewApiKey } from '../api-keys.service';
import { PlainName } from '../../common/http/requests/text-rules';

const MAX_NAME_LENGTH = 64;
const STATUS_FILTERS = [...KEY_STATUSES, 'all'] as const;

export class CreateApiKeyRequest {
  @OptionalText('What the key is for', 'Office phone', MAX_NAME_LENGTH)
  @PlainName()
  name?: string;

  @ApiPropertyOptional({
    enum: KEY_KINDS,
    default: 'full',
    description:
      '`full` gives access to the account. `phone` gives access to the routes of one phone: the first phone that registers with it within 24 hours binds it',
  })
  @OptionalField()
  @IsIn(KEY_KINDS)
  kind?: KeyKind;

  @ApiPropertyOptional({
    description: 'The device that a phone key is for, for example to pair a known phone again',
  })
  @OptionalField()
  @IsMongoId({ message: 'deviceId is not a valid id' })
  deviceId?: string;

  /** @throws ValidationFailed */
  toNewApiKey(): NewApiKey {
    const { name, kind, deviceId } = this;
    if (deviceId !== undefined && kind !== 'phone')
      throw ValidationFailed.of(
        'deviceId',
        'requires the kind "phone": a full key gives access to all devices',
      );
    return { name, kind, ...(deviceId !== undefined && { device: new Types.ObjectId(deviceId) }) };
  }
}

export class RenameApiKeyRequest {
  @ApiProperty({ description: 'What the key is for', example: 'Office phone', maxLength: MAX_NAME_LENGTH })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_NAME_LENGTH)
  @PlainName()
  name!: string;
}

export class ListApiKeysQuery {
  @OptionalChoice('Which keys', STATUS_FILTERS, { default: 'active' })
  status: KeyStatus | 'all' = 'active';
}
