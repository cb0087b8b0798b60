import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { MailModule } from '../infrastructure/mail/mail.module';
import { AccountAdministrationService } from './accounts/account-administration.service';
import { AccountBootstrap } from './accounts/account-bootstrap';
import { Account, AccountSchema } from './accounts/account.schema';
import { AccountsRepository } from './accounts/accounts.repository';
import { ApiKey, ApiKeySchema } from './api-keys/api-key.schema';
import { ApiKeysRepository } from './api-keys/api-keys.repository';
import { AuthService } from './authentication/auth.service';
import { CredentialResetService } from './one-time-codes/credential-reset.service';
import { DeviceToken, DeviceTokenSchema } from './device-tokens/device-token.schema';
import { DeviceTokensRepository } from './device-tokens/device-tokens.repository';
import { DisabledAccountsService } from './accounts/disabled-accounts.service';
import { EmailVerificationService } from './one-time-codes/email-verification.service';
import { LimitsModule } from './limits/limits.module';
import { OneTimeCode, OneTimeCodeSchema } from './one-time-codes/one-time-code.schema';
import { OneTimeCodesRepository } from './one-time-codes/one-time-codes.repository';
import { OneTimeCodesService } from './one-time-codes/one-time-codes.service';
import { PasswordConfirmation } from './passwords/password-confirmation.service';
import { PasswordResetService } from './one-time-codes/password-reset.service';
import { PasswordHasher } from './passwords/password-hasher.service';
import { ProfileService } from './profile/profile.service';
import { RegistrationService } from './registration/registration.service';
import { Session, SessionSchema } from './sessions/session.schema';
import { SessionCookies } from './sessions/session-cookie';
import { SessionsRepository } from './sessions/sessions.repository';
import { SessionsService } from './sessions/sessions.service';
import { SignInLink, SignInLinkSchema } from './sessions/sign-in-link.schema';
import { SignInLinksRepository } from './sessions/sign-in-links.repository';
import { SignInLinksService } from './sessions/sign-in-links.service';
import { SignInService } from './sessions/sign-in.service';
import { UnverifiedAccountsScheduler } from './accounts/unverified-accounts.scheduler';

/** Accounts and their credentials: sessions, passwords, mailed codes, stored API keys (managed in `src/api-keys`), and their limits. */
@Module({
  imports: [
    LimitsModule,
    MailModule,
    MongooseModule.forFeature([
      { name: Account.name, schema: AccountSchema },
      { name: ApiKey.name, schema: ApiKeySchema },
      { name: DeviceToken.name, schema: DeviceTokenSchema },
      { name: OneTimeCode.name, schema: OneTimeCodeSchema },
      { name: Session.name, schema: SessionSchema },
      { name: SignInLink.name, schema: SignInLinkSchema },
    ]),
  ],
  providers: [
    AccountAdministrationService,
    AccountsRepository,
    ApiKeysRepository,
    AuthService,
    CredentialResetService,
    DeviceTokensRepository,
    DisabledAccountsService,
    EmailVerificationService,
    OneTimeCodesRepository,
    OneTimeCodesService,
    PasswordConfirmation,
    PasswordResetService,
    PasswordHasher,
    ProfileService,
    RegistrationService,
    SessionCookies,
    SessionsRepository,
    SessionsService,
    SignInLinksRepository,
    SignInLinksService,
    SignInService,
  ],
  exports: [
    AccountAdministrationService,
    AccountsRepository,
    ApiKeysRepository,
    AuthService,
    DeviceTokensRepository,
    DisabledAccountsService,
    EmailVerificationService,
    LimitsModule,
    PasswordConfirmation,
    PasswordResetService,
    ProfileService,
    RegistrationService,
    SessionCookies,
    SessionsService,
    SignInLinksService,
    SignInService,
  ],
})
export class AuthModule {}

/** Creates the first account. */
@Module({ imports: [AuthModule], providers: [AccountBootstrap] })
export class AccountBootstrapModule {}

/** Scheduled jobs on accounts, for processes with the scheduler role. */
@Module({ imports: [AuthModule], providers: [UnverifiedAccountsScheduler] })
export class AuthSchedulerModule {}
