import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { MongooseModule } from '@nestjs/mongoose';
import { AccountBootstrap } from './account-bootstrap';
import { Account, AccountSchema } from './account.schema';
import { AccountsRepository } from './accounts.repository';
import { ApiKey, ApiKeySchema } from './api-key.schema';
import { ApiKeyStrategy } from './api-key.strategy';
import { ApiKeysRepository } from './api-keys.repository';
import { AccountGuard } from './auth.guard';
import { AuthService } from './auth.service';

/** Accounts, API keys, and the guard in front of every route. */
@Module({
  imports: [
    MongooseModule.forFeature([
      { name: Account.name, schema: AccountSchema },
      { name: ApiKey.name, schema: ApiKeySchema },
    ]),
  ],
  providers: [
    AccountBootstrap,
    AccountsRepository,
    ApiKeysRepository,
    ApiKeyStrategy,
    AuthService,
    { provide: APP_GUARD, useClass: AccountGuard },
  ],
  exports: [AccountsRepository, ApiKeysRepository, AuthService],
})
export class AuthModule {}
