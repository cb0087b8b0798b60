import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Types } from 'mongoose';
import { ApiAction, ApiData, ApiErrors, ApiFieldError, ApiJsonBody } from '../common/http/openapi-decorators';
import { SuccessResponse } from '../common/http/success.response';
import { type AccountScope, CurrentAccount } from './account-scope';
import { CodeInvalid, EmailAlreadyVerified } from './auth.errors';
import { ClientAddress } from './client-address';
import { RequestPasswordResetRequest, ResetPasswordRequest, VerifyEmailRequest } from './dto/account.request';
import { ApiTooManyAttempts } from './dto/attempts.openapi';
import { EmailVerificationService } from './email-verification.service';
import { PasswordResetService } from './password-reset.service';
import { Public } from './public';

/** What is done with codes that come by mail. */
@ApiTags('Account')
@Controller('auth')
export class MailedCodesController {
  constructor(
    private readonly verification: EmailVerificationService,
    private readonly passwordReset: PasswordResetService,
  ) {}

  @Post('send-email-verification-email')
  @HttpCode(200)
  @ApiAction(
    'sendVerificationEmail',
    'Ask for the mail that verifies the e-mail address',
    'The mail holds a code for verifyEmail. Without a mail server it is written to the log of the service.',
  )
  @ApiData(SuccessResponse, 'The mail is on its way')
  @ApiErrors(EmailAlreadyVerified)
  @ApiTooManyAttempts()
  async sendVerification(
    @CurrentAccount() account: AccountScope,
    @ClientAddress() address: string,
  ): Promise<SuccessResponse> {
    await this.verification.request(account, address);
    return { success: true };
  }

  @Public()
  @Post('verify-email')
  @HttpCode(200)
  @ApiAction('verifyEmail', 'Verify the e-mail address', 'With the code of the mail.')
  @ApiJsonBody(VerifyEmailRequest)
  @ApiData(SuccessResponse, 'The address is verified')
  @ApiFieldError('userId', 'is not a valid id')
  @ApiErrors(CodeInvalid)
  @ApiTooManyAttempts()
  async verifyEmail(
    @Body() { userId, verificationCode }: VerifyEmailRequest,
    @ClientAddress() address: string,
  ): Promise<SuccessResponse> {
    await this.verification.verify(new Types.ObjectId(userId), verificationCode, address);
    return { success: true };
  }

  @Public()
  @Post('request-password-reset')
  @HttpCode(200)
  @ApiAction(
    'requestPasswordReset',
    'Ask for the mail that resets the password',
    'Answered the same whether or not there is such an account.',
  )
  @ApiJsonBody(RequestPasswordResetRequest)
  @ApiData(SuccessResponse, 'If there is such an account, the mail is on its way')
  @ApiFieldError('email', 'must be an email')
  @ApiTooManyAttempts()
  async requestReset(
    @Body() { email }: RequestPasswordResetRequest,
    @ClientAddress() address: string,
  ): Promise<SuccessResponse> {
    await this.passwordReset.request(email, address);
    return { success: true };
  }

  @Public()
  @Post('reset-password')
  @HttpCode(200)
  @ApiAction(
    'resetPassword',
    'Set a new password',
    'With the code of the mail. Ends every dashboard session.',
  )
  @ApiJsonBody(ResetPasswordRequest)
  @ApiData(SuccessResponse, 'The password is set')
  @ApiFieldError('newPassword', 'must be longer than or equal to 8 characters')
  @ApiErrors(CodeInvalid)
  @ApiTooManyAttempts()
  async reset(
    @Body() { email, otp, newPassword }: ResetPasswordRequest,
    @ClientAddress() address: string,
  ): Promise<SuccessResponse> {
    await this.passwordReset.reset(email, otp, newPassword, address);
    return { success: true };
  }
}
