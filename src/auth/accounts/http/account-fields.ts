import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsEmail, IsNotEmpty, IsString, MaxLength, MinLength } from 'class-validator';
import { Printable } from '../../../common/http/requests/text-rules';
import { normalizeEmail } from '../normalize-email';

export const MAX_NAME_LENGTH = 100;
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

export const Email = () =>
  applyDecorators(
    ApiProperty({ type: String, format: 'email', description: 'E-mail address', example: 'me@example.com' }),
    EmailAddress(),
  );

export const NewPassword = () =>
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
