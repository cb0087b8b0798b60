import { Module } from '@nestjs/common';
import { MongooseModule } from '@nestjs/mongoose';
import { AuthModule } from '../auth/auth.module';
import { MessagesModule } from '../messages/messages.module';
import { WebhooksModule } from '../webhooks/webhooks.module';
import { JobLeasesRepository } from './jobs/job-leases.repository';
import { MaintenanceJob, MaintenanceJobSchema } from './jobs/maintenance-job.schema';
import { ScheduledJobs } from './jobs/scheduled-jobs.service';
import { MaintenanceScheduler } from './maintenance.scheduler';
import { DeliveryRetentionRepository } from './retention/delivery-retention.repository';
import { DeliveryRetention } from './retention/delivery-retention.service';
import { MessageRetentionRepository } from './retention/message-retention.repository';
import { MessageRetention } from './retention/message-retention.service';
import { RollupsModule } from './rollups/rollups.module';

/** Leases of scheduled jobs. */
@Module({
  imports: [MongooseModule.forFeature([{ name: MaintenanceJob.name, schema: MaintenanceJobSchema }])],
  providers: [JobLeasesRepository, ScheduledJobs],
  exports: [ScheduledJobs],
})
export class MaintenanceModule {}

/** Closes periods of totals and removes old records, in processes with the scheduler role. */
@Module({
  imports: [AuthModule, MaintenanceModule, MessagesModule, RollupsModule, WebhooksModule],
  providers: [
    DeliveryRetention,
    DeliveryRetentionRepository,
    MaintenanceScheduler,
    MessageRetention,
    MessageRetentionRepository,
  ],
})
export class MaintenanceSchedulerModule {}
