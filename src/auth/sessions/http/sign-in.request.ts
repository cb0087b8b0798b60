import { ApiPropertyOptional } from '@nestjs/swagger';
import { ValidateIf } from 'class-validator';
import { OptionalText } from '../../../common/http/requests/fields';
import { Email, EmailAddress, Password } from '../../accounts/http/account-fields';

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

  @ValidateIf(isWithoutToken)
  @Password('The password; required without `token`', { required: false })
  password?: string;

  @OptionalText('The token of a sign-in link, instead of address and password', 'mgl_…', 100)
  token?: string;
}

export class LoginRequest {
  @Email()
  email!: string;

  @Password('The password')
  password!: string;
}
