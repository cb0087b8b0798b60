import { Module } from '@nestjs/common';
import { AuthModule } from './auth.module';
import { UnverifiedAccountsScheduler } from './unverified-accounts.scheduler';

/** Keeps accounts in order: for processes with the scheduler role. */
@Module({ imports: [AuthModule], providers: [UnverifiedAccountsScheduler] })
export class AuthSchedulerModule {}
