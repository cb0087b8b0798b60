import { Body, Controller, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  ApiEndpoint,
  ApiCredentialError,
  ApiData,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../common/http/openapi-decorators';
import { type AccountScope, type AuthenticatedAccount, CurrentAccount } from './account-scope';
import { EmailTaken, RegistrationClosed, WrongPassword } from './auth.errors';
import { ClientAddress, RequestClient } from './client-address';
import {
  ChangePasswordRequest,
  LoginRequest,
  MIN_PASSWORD_LENGTH,
  RegisterRequest,
  UpdateProfileRequest,
} from './dto/account.request';
import {
  AccountResponse,
  UpdatedAccountResponse,
  SignInResponse,
  toAccountResponse,
  toSignInResponse,
} from './dto/account.response';
import { ApiTooManyAttempts } from './limits/attempts.openapi';
import { PhoneKeyAllowed, Public, SessionRequired } from './guards/route-access.decorators';
import { ProfileService } from './accounts/profile.service';
import { RegistrationService } from './accounts/registration.service';
import type { Client } from './sessions/session.schema';
import { SessionCookies, type SessionCookieWriter } from './sessions/session-cookie';
import { NewSessionResponse, toNewSessionResponse } from './sessions/session.response';
import { SignInService } from './accounts/sign-in.service';

@ApiTags('Account')
@Controller('auth')
export class AuthController {
  constructor(
    private readonly registrations: RegistrationService,
    private readonly signIns: SignInService,
    private readonly profiles: ProfileService,
  ) {}

  @Public()
  @Post('register')
  @ApiEndpoint(
    'registerAccount',
    'Create an account',
    'Closed unless the operator allows registration. Sends are refused until the e-mail address is verified.',
  )
  @ApiJsonBody(RegisterRequest)
  @ApiData(SignInResponse, 'The account, signed in', { status: 201 })
  @ApiFieldError('password', `must be longer than or equal to ${MIN_PASSWORD_LENGTH} characters`)
  @ApiErrors(RegistrationClosed, EmailTaken)
  @ApiTooManyAttempts()
  async register(@Body() body: RegisterRequest, @RequestClient() client: Client): Promise<SignInResponse> {
    const profile = await this.registrations.register(body, client.address);
    return toSignInResponse(await this.signIns.openSession(profile, 'registration', client));
  }

  @Public()
  @Post('login')
  @ApiEndpoint(
    'logIn',
    'Sign in to the dashboard',
    'Send the accessToken of the response as authorization: Bearer.',
  )
  @ApiJsonBody(LoginRequest)
  @ApiData(SignInResponse, 'The account, signed in')
  @ApiFieldError('email', 'must be an email')
  @ApiCredentialError()
  @ApiTooManyAttempts()
  async logIn(@Body() body: LoginRequest, @RequestClient() client: Client): Promise<SignInResponse> {
    return toSignInResponse(await this.signIns.signIn(body.email, body.password, client));
  }

  @PhoneKeyAllowed('account')
  @Get('who-am-i')
  @ApiEndpoint('whoAmI', 'Read the account', 'The account that the API key or the accessToken belongs to.')
  @ApiData(AccountResponse, 'The account')
  async whoAmI(@CurrentAccount() account: AccountScope): Promise<AccountResponse> {
    return toAccountResponse(await this.profiles.get(account));
  }

  @Patch('update-profile')
  @SessionRequired()
  @ApiEndpoint(
    'updateProfile',
    'Change name or e-mail address',
    'A new address takes effect when it is confirmed with the code that is mailed to it.',
  )
  @ApiJsonBody(UpdateProfileRequest)
  @ApiData(UpdatedAccountResponse, 'The account as it is now')
  @ApiFieldError('email', 'must be an email')
  @ApiErrors(EmailTaken, WrongPassword)
  @ApiTooManyAttempts()
  async updateProfile(
    @CurrentAccount() account: AccountScope,
    @Body() body: UpdateProfileRequest,
    @ClientAddress() address: string,
  ): Promise<UpdatedAccountResponse> {
    const { profile, pendingEmail } = await this.profiles.update(account, body, address);
    return Object.assign(toAccountResponse(profile), { pendingEmail });
  }

  @Post('change-password')
  @SessionRequired()
  @ApiEndpoint('changePassword', 'Change the password', 'Ends every other session.')
  @ApiJsonBody(ChangePasswordRequest)
  @ApiData(NewSessionResponse, 'A new session')
  @ApiFieldError('newPassword', `must be longer than or equal to ${MIN_PASSWORD_LENGTH} characters`)
  @ApiErrors(WrongPassword)
  @ApiTooManyAttempts()
  async changePassword(
    @CurrentAccount() account: AuthenticatedAccount,
    @Body() { oldPassword, newPassword }: ChangePasswordRequest,
    @RequestClient() client: Client,
    @SessionCookies() cookies: SessionCookieWriter,
  ): Promise<NewSessionResponse> {
    const signedIn = await this.signIns.changePassword(account, oldPassword, newPassword, client);
    return toNewSessionResponse(signedIn, cookies.replace(signedIn.session));
  }
}
