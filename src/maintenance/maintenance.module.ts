import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { ContactsModule } from '../contacts/contacts.module';
import { PersistenceModule } from '../infrastructure/mongo/persistence.module';
import { MessagesModule } from '../messages/messages.module';
import { WebhookDeliveriesModule } from '../webhooks/deliveries/deliveries.module';
import { MaintenanceScheduler } from './maintenance.scheduler';
import { MessageRetentionRepository } from './retention/message-retention.repository';
import { MessageRetention } from './retention/message-retention.service';
import { TotalsModule } from '../totals/totals.module';

/** Closes periods of totals and removes old records, in processes with the scheduler role. */
@Module({
  imports: [
    AuthModule,
    ContactsModule,
    MessagesModule,
    PersistenceModule,
    TotalsModule,
    WebhookDeliveriesModule,
  ],
  providers: [MaintenanceScheduler, MessageRetention, MessageRetentionRepository],
})
export class MaintenanceSchedulerModule {}
