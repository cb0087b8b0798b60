import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsEmail, IsMongoId, IsNotEmpty, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { OptionalText } from '../../common/http/fields';

const LONGEST_NAME = 100;
const LONGEST_PASSWORD = 128;

const Trimmed = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** Addresses are compared in lower case. Half a character, which JSON can hold, would make the check itself fail. */
const EmailAddress = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? Buffer.from(value.trim().toLowerCase()).toString() : value,
    ),
    IsEmail(),
    MaxLength(254),
  );

const Email = () =>
  applyDecorators(
    ApiProperty({ type: String, format: 'email', description: 'E-mail address', example: 'me@example.com' }),
    EmailAddress(),
  );

const NewPassword = () =>
  applyDecorators(
    ApiProperty({
      type: String,
      description: 'The new password',
      minLength: 8,
      maxLength: LONGEST_PASSWORD,
      example: 'correct horse battery staple',
    }),
    IsString(),
    MinLength(8),
    MaxLength(LONGEST_PASSWORD),
  );

const Password = (description: string) =>
  applyDecorators(
    ApiProperty({ type: String, description, maxLength: LONGEST_PASSWORD }),
    IsString(),
    IsNotEmpty(),
    MaxLength(LONGEST_PASSWORD),
  );

const Code = () =>
  applyDecorators(
    ApiProperty({ type: String, description: 'The code that came by mail', example: '04728153' }),
    IsString(),
    IsNotEmpty(),
    MaxLength(64),
  );

export class RegisterRequest {
  @ApiProperty({ type: String, description: 'Name of the owner', example: 'Ada', maxLength: LONGEST_NAME })
  @Trimmed()
  @IsString()
  @IsNotEmpty()
  @MaxLength(LONGEST_NAME)
  name!: string;

  @Email()
  email!: string;

  @NewPassword()
  password!: string;
}

export class LoginRequest {
  @Email()
  email!: string;

  @Password('The password')
  password!: string;
}

export class ChangePasswordRequest {
  @Password('The password so far')
  oldPassword!: string;

  @NewPassword()
  newPassword!: string;
}

export class UpdateProfileRequest {
  @OptionalText('Name of the owner', 'Ada', LONGEST_NAME)
  name?: string;

  @ApiPropertyOptional({
    type: String,
    format: 'email',
    description: 'E-mail address; a changed one must be verified again',
    example: 'me@example.com',
  })
  @IsOptional()
  @EmailAddress()
  email?: string;
}

export class VerifyEmailRequest {
  @ApiProperty({ type: String, description: 'Id of the account', example: '665f1c2ab7e1d4a9c0f3e812' })
  @IsMongoId({ message: 'userId is not a valid id' })
  userId!: string;

  @Code()
  verificationCode!: string;
}

export class RequestPasswordResetRequest {
  @Email()
  email!: string;
}

export class ResetPasswordRequest {
  @Email()
  email!: string;

  @Code()
  otp!: string;

  @NewPassword()
  newPassword!: string;
}
