import { Module, type NestModule } from '@nestjs/common';
import { APP_GUARD, HttpAdapterHost } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { MailModule } from '../infrastructure/mail/mail.module';
import { AccountAdministrationService } from './accounts/account-administration.service';
import { AccountBootstrap } from './accounts/account-bootstrap';
import { Account, AccountSchema } from './accounts/account.schema';
import { AccountsRepository } from './accounts/accounts.repository';
import { ApiKey, ApiKeySchema } from './api-keys/api-key.schema';
import { ApiKeyStrategy } from './guards/api-key.strategy';
import { ApiKeysRepository } from './api-keys/api-keys.repository';
import { AuthController } from './auth.controller';
import { AuthGuard } from './guards/auth.guard';
import { AuthService } from './auth.service';
import { CredentialResetService } from './passwords/credential-reset.service';
import { CredentialGuard } from './guards/credential.guard';
import { BodyGuard } from './guards/body.guard';
import { DisabledAccountsService } from './accounts/disabled-accounts.service';
import { EmailVerificationService } from './one-time-codes/email-verification.service';
import { LimitsModule } from './limits/limits.module';
import { OneTimeCodesController } from './one-time-codes/one-time-codes.controller';
import { OneTimeCode, OneTimeCodeSchema } from './one-time-codes/one-time-code.schema';
import { OneTimeCodesRepository } from './one-time-codes/one-time-codes.repository';
import { OneTimeCodesService } from './one-time-codes/one-time-codes.service';
import { PasswordConfirmation } from './passwords/password-confirmation.service';
import { PasswordResetService } from './passwords/password-reset.service';
import { PasswordHasher } from './passwords/password-hasher.service';
import { ProfileService } from './accounts/profile.service';
import { RegistrationService } from './accounts/registration.service';
import { Session, SessionSchema } from './sessions/session.schema';
import { SessionsController } from './sessions/sessions.controller';
import { SessionsRepository } from './sessions/sessions.repository';
import { SessionsService } from './sessions/sessions.service';
import { SignInLink, SignInLinkSchema } from './sessions/sign-in-link.schema';
import { SignInLinksRepository } from './sessions/sign-in-links.repository';
import { SignInLinksService } from './sessions/sign-in-links.service';
import { SignInService } from './accounts/sign-in.service';
import { UnverifiedAccountsScheduler } from './accounts/unverified-accounts.scheduler';

/** Part of a Fastify instance; modules must not import a platform. */
interface FastifyMethods {
  addHttpMethod(method: string, options: { hasBody: boolean; overrideExisting: boolean }): unknown;
}

/** Accounts, sessions, stored API keys (managed in `src/api-keys`), and the guards of every route. */
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
  controllers: [AuthController, SessionsController, OneTimeCodesController],
  providers: [
    AccountAdministrationService,
    AccountBootstrap,
    AccountsRepository,
    ApiKeysRepository,
    ApiKeyStrategy,
    AuthService,
    CredentialResetService,
    DisabledAccountsService,
    EmailVerificationService,
    OneTimeCodesRepository,
    OneTimeCodesService,
    PasswordConfirmation,
    PasswordResetService,
    PasswordHasher,
    ProfileService,
    RegistrationService,
    SessionsRepository,
    SessionsService,
    SignInLinksRepository,
    SignInLinksService,
    SignInService,
    // Guards run in this order.
    { provide: APP_GUARD, useClass: AuthGuard },
    { provide: APP_GUARD, useClass: CredentialGuard },
    { provide: APP_GUARD, useClass: BodyGuard },
  ],
  exports: [
    AccountAdministrationService,
    AccountsRepository,
    ApiKeysRepository,
    AuthService,
    DisabledAccountsService,
    LimitsModule,
    PasswordConfirmation,
    PasswordHasher,
    ProfileService,
    SessionsService,
    SignInLinksService,
  ],
})
export class AuthModule implements NestModule {
  constructor(private readonly host: HttpAdapterHost) {}

  /**
   * Stops Fastify from parsing bodies: BodyGuard reads them after AuthGuard has authenticated the request. Under Express,
   * `bodyParser: false` does it.
   */
  configure(): void {
    const { httpAdapter } = this.host;
    if (httpAdapter.getType() !== 'fastify') return;
    const instance = httpAdapter.getInstance<FastifyMethods>();
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      instance.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  }
}

/** Scheduled jobs on accounts, for processes with the scheduler role. */
@Module({ imports: [AuthModule], providers: [UnverifiedAccountsScheduler] })
export class AuthSchedulerModule {}
