import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { DevicesModule } from '../devices/devices.module';
import { MailModule } from '../infrastructure/mail/mail.module';
import { AccountNoticesRepository } from './account-notices.repository';
import { AccountNotices, AccountNoticesSchema } from './account-notices.schema';
import { NoticeMails } from './notice-mails.service';
import { NoticeRecorder } from './notice-recorder.service';
import { NoticeSettingsService } from './notice-settings.service';
import { Notice, NoticeSchema } from './notice.schema';
import { NoticesRepository } from './notices.repository';
import { NoticesScheduler } from './notices.scheduler';
import { PlanNotices } from './plan-notices.service';

/** Tells the owners of accounts by mail what has happened to their phones, SIMs, webhooks and plan. */
@Module({
  imports: [
    AuthModule,
    BillingModule,
    DevicesModule,
    MailModule,
    MongooseModule.forFeature([
      { name: AccountNotices.name, schema: AccountNoticesSchema },
      { name: Notice.name, schema: NoticeSchema },
    ]),
  ],
  providers: [
    AccountNoticesRepository,
    NoticeMails,
    NoticeRecorder,
    NoticeSettingsService,
    NoticesRepository,
    PlanNotices,
  ],
  exports: [NoticeMails, NoticeRecorder, NoticeSettingsService, PlanNotices],
})
export class NoticesModule {}

/** Sends the mails, in processes with the scheduler role. */
@Module({ imports: [NoticesModule], providers: [NoticesScheduler] })
export class NoticesSchedulerModule {}
