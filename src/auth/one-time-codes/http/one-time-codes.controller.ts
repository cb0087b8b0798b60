import type { IncomingHttpHeaders } from 'node:http';
import { Body, Controller, Headers, Post } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import { Types } from 'mongoose';
import {
  ApiEndpoint,
  ApiSuccess,
  ApiErrors,
  ApiFieldError,
  ApiJsonBody,
} from '../../../common/http/openapi-decorators';
import { type AccountScope, CurrentAccount } from '../../account-scope';
import { CodeInvalid, EmailAlreadyVerified, EmailTaken, SessionRequiredError } from '../../auth.errors';
import { AuthService } from '../../authentication/auth.service';
import { ClientAddress, RequestClient } from '../../http/client-address';
import { MIN_PASSWORD_LENGTH } from '../../accounts/http/account-fields';
import {
  RequestPasswordResetRequest,
  ResetPasswordRequest,
  VerifyEmailRequest,
} from './one-time-codes.request';
import { ApiTooManyAttempts } from '../../http/attempts.openapi';
import { EmailVerificationService } from '../email-verification.service';
import { PasswordResetService } from '../password-reset.service';
import { Public } from '../../http/route-access.decorators';
import { CsrfCheckFailed } from '../../sessions/session.errors';
import type { Client } from '../../client';

@ApiTags('Account')
@Controller('auth')
export class OneTimeCodesController {
  constructor(
    private readonly verification: EmailVerificationService,
    private readonly passwordReset: PasswordResetService,
    private readonly auth: AuthService,
  ) {}

  @Post('send-email-verification-email')
  @ApiEndpoint(
    'sendVerificationEmail',
    'Request the verification e-mail',
    'The e-mail contains a code for verifyEmail. Without a mail server it is written to the log of the service.',
  )
  @ApiSuccess('The e-mail is being sent')
  @ApiErrors(EmailAlreadyVerified)
  @ApiTooManyAttempts()
  async sendVerification(
    @CurrentAccount() account: AccountScope,
    @ClientAddress() address: string,
  ): Promise<void> {
    await this.verification.request(account, address);
  }

  @Public()
  @ApiBearerAuth('session')
  @Post('verify-email')
  @ApiEndpoint(
    'verifyEmail',
    'Verify the e-mail address',
    'With the code from the e-mail. The first verification removes the password, because somebody else may have ' +
      'registered, except in a session of the account that was not opened by a sign-in link; a password reset sets a ' +
      'new one. A new address can only be confirmed in a session.',
  )
  @ApiJsonBody(VerifyEmailRequest)
  @ApiSuccess('The address is verified')
  @ApiFieldError('userId', 'is not a valid id')
  @ApiErrors(CodeInvalid, SessionRequiredError, EmailTaken, CsrfCheckFailed)
  @ApiTooManyAttempts()
  async verifyEmail(
    @Body() { userId, verificationCode }: VerifyEmailRequest,
    @RequestClient() client: Client,
    @Headers() headers: IncomingHttpHeaders,
  ): Promise<void> {
    const user = new Types.ObjectId(userId);
    const session = await this.auth.authenticateOptionalSession('POST', headers, client);
    await this.verification.verify(user, verificationCode, client.address, session);
  }

  @Public()
  @Post('request-password-reset')
  @ApiEndpoint(
    'requestPasswordReset',
    'Request the password reset e-mail',
    'The response does not reveal whether the account exists.',
  )
  @ApiJsonBody(RequestPasswordResetRequest)
  @ApiSuccess('If the account exists, the e-mail is being sent')
  @ApiFieldError('email', 'must be an email')
  @ApiTooManyAttempts()
  async requestReset(
    @Body() { email }: RequestPasswordResetRequest,
    @ClientAddress() address: string,
  ): Promise<void> {
    await this.passwordReset.request(email, address);
  }

  @Public()
  @Post('reset-password')
  @ApiEndpoint(
    'resetPassword',
    'Set a new password',
    'With the code from the e-mail. Ends all sessions and, on request, revokes all API keys.',
  )
  @ApiJsonBody(ResetPasswordRequest)
  @ApiSuccess('The password is set')
  @ApiFieldError('newPassword', `must be longer than or equal to ${MIN_PASSWORD_LENGTH} characters`)
  @ApiErrors(CodeInvalid)
  @ApiTooManyAttempts()
  async reset(
    @Body() { email, otp, newPassword, revokeApiKeys = false }: ResetPasswordRequest,
    @ClientAddress() address: string,
  ): Promise<void> {
    await this.passwordReset.reset(email, otp, newPassword, address, { revokeApiKeys });
  }
}
