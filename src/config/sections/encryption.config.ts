import { Transform } from 'class-transformer';
import { ArrayMinSize, IsArray, Matches } from 'class-validator';
import { Variable } from '../environment/environment';

export class EncryptionConfig {
  /** The first key encrypts, all keys decrypt. To rotate, add a new key in front and remove the old one when it is unused. */
  @Variable('ENCRYPTION_KEYS')
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.split(',').map((key) => key.trim().toLowerCase()) : value,
  )
  @IsArray()
  @ArrayMinSize(1, { message: 'must be set to a key of 64 hexadecimal digits' })
  @Matches(/^[\da-f]{64}$/, {
    each: true,
    message: 'must be keys of 64 hexadecimal digits each, with commas between them',
  })
  readonly keys: readonly string[] = [];
}
