import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import { OptionalText } from '../../common/http/fields';
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
  @ApiPropertyOptional({ enum: LISTABLE, default: 'active', description: 'Which keys' })
  @IsOptional()
  @IsIn(LISTABLE)
  status: KeyStatus | 'all' = 'active';
}
