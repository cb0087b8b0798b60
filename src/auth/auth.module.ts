import { Module, type NestModule } from '@nestjs/common';
import { APP_GUARD, HttpAdapterHost } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { leaveBodiesUnread } from '../common/http/leave-bodies-unread';
import { MailModule } from '../mail/mail.module';
import { AccountAdministration } from './account-administration.service';
import { AccountBootstrap } from './account-bootstrap';
import { Account, AccountSchema } from './account.schema';
import { AccountsRepository } from './accounts.repository';
import { ApiKey, ApiKeySchema } from './api-key.schema';
import { ApiKeyStrategy } from './api-key.strategy';
import { ApiKeysRepository } from './api-keys.repository';
import { AnonymousRequests } from './anonymous-requests';
import { AttemptsService } from './attempts.service';
import { AuthController } from './auth.controller';
import { AccountGuard } from './auth.guard';
import { AuthService } from './auth.service';
import { CredentialGuard } from './credential.guard';
import { BodyGuard } from './body.guard';
import { DisabledAccounts } from './disabled-accounts.service';
import { EmailVerificationService } from './email-verification.service';
import { LimitsModule } from './limits/limits.module';
import { MailedCodesController } from './mailed-codes.controller';
import { OneTimeCode, OneTimeCodeSchema } from './one-time-code.schema';
import { OneTimeCodesRepository } from './one-time-codes.repository';
import { OneTimeCodesService } from './one-time-codes.service';
import { PasswordResetService } from './password-reset.service';
import { Passwords } from './passwords';
import { ProfileService } from './profile.service';
import { RequestRates } from './request-rates.service';
import { SessionCookies } from './sessions/session-cookies.service';
import { Session, SessionSchema } from './sessions/session.schema';
import { SessionsController } from './sessions/sessions.controller';
import { SessionsRepository } from './sessions/sessions.repository';
import { SessionsService } from './sessions/sessions.service';
import { SignInLink, SignInLinkSchema } from './sessions/sign-in-link.schema';
import { SignInLinksRepository } from './sessions/sign-in-links.repository';
import { SignInLinksService } from './sessions/sign-in-links.service';
import { SignInService } from './sign-in.service';

/** Accounts, API keys, sessions, and the guard in front of every route. */
@Module({
  imports: [
    LimitsModule,
    MailModule,
    MongooseModule.forFeature([
      { name: Account.name, schema: AccountSchema },
      { name: ApiKey.name, schema: ApiKeySchema },
      { name: OneTimeCode.name, schema: OneTimeCodeSchema },
      { name: Session.name, schema: SessionSchema },
      { name: SignInLink.name, schema: SignInLinkSchema },
    ]),
  ],
  controllers: [AuthController, SessionsController, MailedCodesController],
  providers: [
    AccountAdministration,
    AccountBootstrap,
    AccountsRepository,
    ApiKeysRepository,
    ApiKeyStrategy,
    AnonymousRequests,
    AttemptsService,
    AuthService,
    DisabledAccounts,
    EmailVerificationService,
    OneTimeCodesRepository,
    OneTimeCodesService,
    PasswordResetService,
    Passwords,
    ProfileService,
    RequestRates,
    SessionCookies,
    SessionsRepository,
    SessionsService,
    SignInLinksRepository,
    SignInLinksService,
    SignInService,
    // In this order.
    { provide: APP_GUARD, useClass: AccountGuard },
    { provide: APP_GUARD, useClass: CredentialGuard },
    { provide: APP_GUARD, useClass: BodyGuard },
  ],
  exports: [
    AccountAdministration,
    AccountsRepository,
    ApiKeysRepository,
    AttemptsService,
    AuthService,
    DisabledAccounts,
    LimitsModule,
    Passwords,
    SignInLinksService,
  ],
})
export class AuthModule implements NestModule {
  constructor(private readonly host: HttpAdapterHost) {}

  /** BodyGuard reads bodies, once AccountGuard let the request pass. */
  configure(): void {
    leaveBodiesUnread(this.host.httpAdapter);
  }
}
