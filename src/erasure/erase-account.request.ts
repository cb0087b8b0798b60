import { ApiProperty } from '@nestjs/swagger';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { MAX_PASSWORD_LENGTH } from '../auth/dto/account.request';

export class EraseAccountRequest {
  @ApiProperty({
    description: 'The password of the account',
    example: 'correct horse battery staple',
    maxLength: MAX_PASSWORD_LENGTH,
  })
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_PASSWORD_LENGTH)
  password!: string;
}
