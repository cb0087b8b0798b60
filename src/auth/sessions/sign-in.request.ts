import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsNotEmpty, IsString, MaxLength, ValidateIf } from 'class-validator';
import { OptionalText } from '../../common/http/requests/fields';
import { EmailAddress, MAX_PASSWORD_LENGTH } from '../dto/account.request';

const isWithoutToken = ({ token }: SignInRequest): boolean => token === undefined;

/** Either e-mail address and password, or the token of a sign-in link. */
export class SignInRequest {
  @ApiPropertyOptional({
    format: 'email',
    description: 'E-mail address; required without `token`',
    example: 'me@example.com',
  })
  @ValidateIf(isWithoutToken)
  @EmailAddress()
  email?: string;

  @ApiPropertyOptional({
    description: 'The password; required without `token`',
    maxLength: MAX_PASSWORD_LENGTH,
  })
  @ValidateIf(isWithoutToken)
  @IsString()
  @IsNotEmpty()
  @MaxLength(MAX_PASSWORD_LENGTH)
  password?: string;

  @OptionalText('The token of a sign-in link, instead of address and password', 'mgl_…', 100)
  token?: string;
}
