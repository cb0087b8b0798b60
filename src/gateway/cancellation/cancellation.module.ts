import { Module } from '@nestjs/common';
import { LimitsModule } from '../../auth/limits/limits.module';
import { BillingModule } from '../../billing/billing.module';
import { DevicesModule } from '../../devices/devices.module';
import { MessagesModule } from '../../messages/messages.module';
import { PushModule } from '../../push/push.module';
import { SendersModule } from '../senders/senders.module';
import { BatchCancellationsRepository } from './batch-cancellations.repository';
import { CancellationRepository } from './cancellation.repository';
import { CancellationRunner } from './cancellation-runner.service';
import { CancellationService } from './cancellation.service';
import { ExpiryService } from './expiry.service';

const EXPORTED = [CancellationRunner, CancellationService, ExpiryService];

/** Cancels messages, and fails those whose time has passed. */
@Module({
  imports: [BillingModule, DevicesModule, LimitsModule, MessagesModule, PushModule, SendersModule],
  providers: [...EXPORTED, BatchCancellationsRepository, CancellationRepository],
  exports: EXPORTED,
})
export class CancellationModule {}
