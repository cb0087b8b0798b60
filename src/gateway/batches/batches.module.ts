import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module';
import { BillingModule } from '../../billing/billing.module';
import { DevicesModule } from '../../devices/devices.module';
import { MessagesModule } from '../../messages/messages.module';
import { RoutingModule } from '../routing/routing.module';
import { SendersModule } from '../senders/senders.module';
import { WavesModule } from '../waves/waves.module';
import { BatchChanges } from './batch-changes.service';
import { BatchChangesRepository } from './batch-changes.repository';
import { BatchRescheduler } from './batch-rescheduler.service';
import { BatchTimeline } from './batch-timeline.service';
import { BatchViews } from './batch-views.service';
import { BatchViewsRepository } from './batch-views.repository';

const EXPORTED = [BatchChanges, BatchViews];

/** The batches of an account: their state, and pausing, resuming and rescheduling them. */
@Module({
  imports: [
    AuthModule,
    BillingModule,
    DevicesModule,
    MessagesModule,
    RoutingModule,
    SendersModule,
    WavesModule,
  ],
  providers: [...EXPORTED, BatchChangesRepository, BatchRescheduler, BatchTimeline, BatchViewsRepository],
  exports: EXPORTED,
})
export class BatchesModule {}
