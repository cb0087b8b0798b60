import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { Account, AccountSchema } from '../auth/accounts/account.schema';
import { AuthModule } from '../auth/auth.module';
import { DevicesModule } from '../devices/devices.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { AccountClosureService } from './account-closure.service';
import { ErasureRequestService } from './erasure-request.service';
import { ErasureController } from './erasure.controller';
import { ErasureRepository } from './erasure.repository';
import { ErasureScheduler } from './erasure.scheduler';
import { ErasureService } from './erasure.service';

@Module({
  imports: [
    AuthModule,
    DevicesModule,
    WebhooksModule,
    MongooseModule.forFeature([{ name: Account.name, schema: AccountSchema }]),
  ],
  controllers: [ErasureController],
  providers: [AccountClosureService, ErasureRepository, ErasureRequestService, ErasureService],
  exports: [ErasureService],
})
export class ErasureModule {}

@Module({ imports: [ErasureModule], providers: [ErasureScheduler] })
export class ErasureSchedulerModule {}
