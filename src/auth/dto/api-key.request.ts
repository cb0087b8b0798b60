import { ApiProperty } from '@nestjs/swagger';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { OptionalText } from '../../common/http/fields';
import { OptionalChoice } from '../../common/http/query-fields';
import { KEY_STATUSES, type KeyStatus } from '../api-keys.repository';

const LONGEST_NAME = 64;
const LISTABLE = [...KEY_STATUSES, 'all'] as const;

export class CreateApiKeyRequest {
  @OptionalText('What the key is for', 'Office phone', LONGEST_NAME)
  name?: string;
}

export class RenameApiKeyRequest {
  @ApiProperty({
    type: String,
    description: 'What the key is for',
    example: 'Office phone',
    maxLength: LONGEST_NAME,
  })
  @IsString()
  @IsNotEmpty()
  @MaxLength(LONGEST_NAME)
  name!: string;
}

export class ListApiKeysQuery {
  @OptionalChoice('Which keys', LISTABLE, { default: 'active' })
  status: KeyStatus | 'all' = 'active';
}
