import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JwtModule } from '@nestjs/jwt';
import { MongooseModule } from '@nestjs/mongoose';
import { WindowCounters } from '../common/redis/window-counters';
import { AuthConfig } from '../config/auth.config';
import { MailModule } from '../mail/mail.module';
import { AccountAdministration } from './account-administration.service';
import { AccountBootstrap } from './account-bootstrap';
import { Account, AccountSchema } from './account.schema';
import { AccountsRepository } from './accounts.repository';
import { ApiKey, ApiKeySchema } from './api-key.schema';
import { ApiKeyStrategy } from './api-key.strategy';
import { ApiKeysController } from './api-keys.controller';
import { ApiKeysRepository } from './api-keys.repository';
import { ApiKeysService } from './api-keys.service';
import { AttemptsService } from './attempts.service';
import { AuthController } from './auth.controller';
import { AccountGuard } from './auth.guard';
import { AuthService } from './auth.service';
import { DashboardTokens, TOKEN_LIFETIME_S } from './dashboard-tokens';
import { EmailVerificationService } from './email-verification.service';
import { JsonBodyGuard } from './json-body.guard';
import { MailedCodesController } from './mailed-codes.controller';
import { OneTimeCode, OneTimeCodeSchema } from './one-time-code.schema';
import { OneTimeCodesRepository } from './one-time-codes.repository';
import { OneTimeCodesService } from './one-time-codes.service';
import { PasswordResetService } from './password-reset.service';
import { Passwords } from './passwords';
import { ProfileService } from './profile.service';
import { RequestRates } from './request-rates.service';
import { SessionsService } from './sessions.service';

/** Accounts, API keys, dashboard tokens, and the guard in front of every route. */
@Module({
  imports: [
    MailModule,
    MongooseModule.forFeature([
      { name: Account.name, schema: AccountSchema },
      { name: ApiKey.name, schema: ApiKeySchema },
      { name: OneTimeCode.name, schema: OneTimeCodeSchema },
    ]),
    JwtModule.registerAsync({
      inject: [AuthConfig],
      useFactory: ({ tokenSecret }: AuthConfig) => ({
        secret: tokenSecret,
        signOptions: { algorithm: 'HS256', expiresIn: TOKEN_LIFETIME_S },
        // Only what we sign with: the token does not choose how it is checked.
        verifyOptions: { algorithms: ['HS256'] },
      }),
    }),
  ],
  controllers: [AuthController, MailedCodesController, ApiKeysController],
  providers: [
    AccountAdministration,
    AccountBootstrap,
    AccountsRepository,
    ApiKeysRepository,
    ApiKeysService,
    ApiKeyStrategy,
    AttemptsService,
    AuthService,
    DashboardTokens,
    EmailVerificationService,
    OneTimeCodesRepository,
    OneTimeCodesService,
    PasswordResetService,
    Passwords,
    ProfileService,
    RequestRates,
    SessionsService,
    WindowCounters,
    // In this order.
    { provide: APP_GUARD, useClass: AccountGuard },
    { provide: APP_GUARD, useClass: JsonBodyGuard },
  ],
  exports: [
    AccountAdministration,
    AccountsRepository,
    ApiKeysRepository,
    ApiKeysService,
    AttemptsService,
    AuthService,
  ],
})
export class AuthModule {}
