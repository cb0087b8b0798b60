import { Module } from '@nestjs/common';
import { AuthModule } from './auth.module';
import { UnverifiedAccountsScheduler } from './accounts/unverified-accounts.scheduler';

/** Scheduled jobs on accounts, for processes with the scheduler role. */
@Module({ imports: [AuthModule], providers: [UnverifiedAccountsScheduler] })
export class AuthSchedulerModule {}
