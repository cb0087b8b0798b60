import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { Types } from 'mongoose';
import { type AccountScope, CurrentAccount } from './account-scope';
import { ClientAddress } from './client-address';
import { RequestPasswordResetRequest, ResetPasswordRequest, VerifyEmailRequest } from './dto/account.request';
import { EmailVerificationService } from './email-verification.service';
import { PasswordResetService } from './password-reset.service';
import { Public } from './public';

/** What is done with codes that come by mail. */
@Controller('auth')
export class MailedCodesController {
  constructor(
    private readonly verification: EmailVerificationService,
    private readonly passwordReset: PasswordResetService,
  ) {}

  @Post('send-email-verification-email')
  @HttpCode(200)
  async sendVerification(
    @CurrentAccount() account: AccountScope,
    @ClientAddress() address: string,
  ): Promise<{ success: true }> {
    await this.verification.request(account, address);
    return { success: true };
  }

  @Public()
  @Post('verify-email')
  @HttpCode(200)
  async verifyEmail(
    @Body() { userId, verificationCode }: VerifyEmailRequest,
    @ClientAddress() address: string,
  ): Promise<{ success: true }> {
    await this.verification.verify(new Types.ObjectId(userId), verificationCode, address);
    return { success: true };
  }

  @Public()
  @Post('request-password-reset')
  @HttpCode(200)
  async requestReset(
    @Body() { email }: RequestPasswordResetRequest,
    @ClientAddress() address: string,
  ): Promise<{ success: true }> {
    await this.passwordReset.request(email, address);
    return { success: true };
  }

  @Public()
  @Post('reset-password')
  @HttpCode(200)
  async reset(
    @Body() { email, otp, newPassword }: ResetPasswordRequest,
    @ClientAddress() address: string,
  ): Promise<{ success: true }> {
    await this.passwordReset.reset(email, otp, newPassword, address);
    return { success: true };
  }
}
