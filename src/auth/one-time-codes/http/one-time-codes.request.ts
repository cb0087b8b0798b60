import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsMongoId, IsNotEmpty, IsString, MaxLength } from 'class-validator';
import { OptionalBoolean } from '../../../common/http/requests/fields';
import { Email, NewPassword } from '../../accounts/http/account-fields';

const OneTimeCodeField = () =>
  applyDecorators(
    ApiProperty({ type: String, description: 'The code from the e-mail', example: '7F3KQ-X9D2M' }),
    IsString(),
    IsNotEmpty(),
    MaxLength(64),
  );

export class VerifyEmailRequest {
  @ApiProperty({ description: 'Id of the account', example: '665f1c2ab7e1d4a9c0f3e812' })
  @IsMongoId({ message: 'userId is not a valid id' })
  userId!: string;

  @OneTimeCodeField()
  verificationCode!: string;
}

export class RequestPasswordResetRequest {
  @Email()
  email!: string;
}

export class ResetPasswordRequest {
  @Email()
  email!: string;

  @OneTimeCodeField()
  otp!: string;

  @NewPassword()
  newPassword!: string;

  @OptionalBoolean('Whether to revoke all API keys as well; phones must then be paired again')
  revokeApiKeys?: boolean;
}
