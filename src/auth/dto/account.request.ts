import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsEmail,
  IsIn,
  IsMongoId,
  IsNotEmpty,
  IsOptional,
  IsString,
  MaxLength,
  MinLength,
} from 'class-validator';
import { normalizeEmail } from '../accounts/normalize-email';
import { PlainName, Printable } from '../../common/http/requests/plain-name';
import { COUNTRIES } from '../../common/contact-number';
import { OptionalBoolean, OptionalField, OptionalText } from '../../common/http/requests/fields';

const MAX_NAME_LENGTH = 100;
export const MIN_PASSWORD_LENGTH = 8;
export const MAX_PASSWORD_LENGTH = 128;

/** Validates an e-mail address and lowercases it. An unpaired surrogate, which JSON allows, would make IsEmail throw. */
export const EmailAddress = () =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? Buffer.from(normalizeEmail(value)).toString() : value,
    ),
    IsEmail(),
    Printable(),
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
      minLength: MIN_PASSWORD_LENGTH,
      maxLength: MAX_PASSWORD_LENGTH,
      example: 'correct horse battery staple',
    }),
    IsString(),
    MinLength(MIN_PASSWORD_LENGTH),
    MaxLength(MAX_PASSWORD_LENGTH),
  );

export const Password = (
  description: string,
  options: { readonly example?: string; readonly required?: boolean } = {},
) =>
  applyDecorators(
    ApiProperty({ type: String, description, maxLength: MAX_PASSWORD_LENGTH, ...options }),
    IsString(),
    IsNotEmpty(),
    MaxLength(MAX_PASSWORD_LENGTH),
  );

const OneTimeCodeField = () =>
  applyDecorators(
    ApiProperty({ type: String, description: 'The code from the e-mail', example: '7F3KQ-X9D2M' }),
    IsString(),
    IsNotEmpty(),
    MaxLength(64),
  );

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

export class LoginRequest {
  @Email()
  email!: string;

  @Password('The password')
  password!: string;
}

export class ChangePasswordRequest {
  @OptionalText(
    'The current password; omit it to set the first one in a session that a sign-in link opened',
    undefined,
    MAX_PASSWORD_LENGTH,
  )
  oldPassword?: string;

  @NewPassword()
  newPassword!: string;
}

export class UpdateProfileRequest {
  @OptionalText('Name of the owner', 'Ada', MAX_NAME_LENGTH)
  @PlainName()
  name?: string;

  @ApiPropertyOptional({
    description:
      'Where numbers without a + are dialled, to recognise them in other spellings: ISO 3166-1 alpha-2. Empty removes it; the country of the SIM counts then. Applies to messages from then on',
    example: 'GB',
    pattern: '^([A-Z]{2})?$',
  })
  @OptionalField()
  @IsIn(['', ...COUNTRIES], { message: '$property must be a country, such as GB, or empty' })
  defaultCountry?: string;

  @ApiPropertyOptional({
    format: 'email',
    description:
      'New e-mail address; it takes effect when it is confirmed with the code that is mailed to it',
    example: 'me@example.com',
  })
  @IsOptional()
  @EmailAddress()
  email?: string;

  @OptionalText('The password; required to change the e-mail address', undefined, MAX_PASSWORD_LENGTH)
  password?: string;
}

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
