import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { PersistenceModule } from '../infrastructure/mongo/persistence.module';
import { MessagesModule } from '../messages/messages.module';
import { MigrationsModule } from '../migrations/migrations.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { MaintenanceScheduler } from './maintenance.scheduler';
import { MessageRetentionRepository } from './retention/message-retention.repository';
import { MessageRetention } from './retention/message-retention.service';
import { RollupsModule } from './rollups/rollups.module';

/** Closes periods of totals and removes old records, in processes with the scheduler role. */
@Module({
  imports: [AuthModule, MessagesModule, MigrationsModule, PersistenceModule, RollupsModule, WebhooksModule],
  providers: [MaintenanceScheduler, MessageRetention, MessageRetentionRepository],
})
export class MaintenanceSchedulerModule {}
