import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { PlainName } from '../../../common/http/requests/text-rules';
import { Email, MAX_NAME_LENGTH, NewPassword } from '../../accounts/http/account-fields';

export class RegisterRequest {
  @ApiProperty({ description: 'Name of the owner', example: 'Ada', maxLength: MAX_NAME_LENGTH })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_NAME_LENGTH)
  @PlainName()
  name!: string;

  @Email()
  email!: string;

  @NewPassword()
  password!: string;
}
