import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { Account, AccountSchema } from '../auth/accounts/account.schema';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from '../devices/devices.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { AccountClosureService } from './account-closure.service';
import { ErasureRepository } from './erasure.repository';
import { ErasureScheduler } from './erasure.scheduler';
import { ErasureService } from './erasure.service';

/** Removes accounts with all their data. */
@Module({
  imports: [
    AuthModule,
    DevicesModule,
    WebhooksModule,
    MongooseModule.forFeature([{ name: Account.name, schema: AccountSchema }]),
  ],
  providers: [AccountClosureService, ErasureRepository, ErasureService],
  exports: [ErasureService],
})
export class ErasureModule {}

/** Resumes erasures, in processes with the scheduler role. */
@Module({ imports: [ErasureModule], providers: [ErasureScheduler] })
export class ErasureSchedulerModule {}
