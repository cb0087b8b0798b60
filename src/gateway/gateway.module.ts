import { BullModule } from '@nestjs/bull';
import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module';
import { BillingModule } from '../billing/billing.module';
import { DevicesModule } from '../devices/devices.module';
import { MessagesModule } from '../messages/messages.module';
import { RollupsModule } from '../maintenance/rollups/rollups.module';
import { PushModule } from '../push/push.module';
import { BatchChangesRepository } from './batches/batch-changes.repository';
import { BatchChanges } from './batches/batch-changes.service';
import { BatchRescheduler } from './batches/batch-rescheduler.service';
import { BatchTimeline } from './batches/batch-timeline.service';
import { BatchViewsRepository } from './batches/batch-views.repository';
import { BatchViews } from './batches/batch-views.service';
import { BatchesController } from './batches/batches.controller';
import { PausedMessagesRepository } from './batches/paused-messages.repository';
import { SendRollbackService } from './sends/acceptance/send-rollback.service';
import { AcceptanceService } from './sends/acceptance/acceptance.service';
import { CancellationRepository } from './cancellation/cancellation.repository';
import { CancellationRunner } from './cancellation/cancellation-runner.service';
import { CancellationService } from './cancellation/cancellation.service';
import { ExpiryService } from './cancellation/expiry.service';
import { ConnectionCheckService } from './connections/connection-check.service';
import { DrainController } from './drain/drain.controller';
import { DrainRepository } from './drain/drain.repository';
import { DrainService } from './drain/drain.service';
import { DeviceSendsController } from './sends/device-sends.controller';
import { DISPATCH_QUEUE, DispatchQueue } from './dispatch/dispatch.queue';
import { EstimateService } from './estimates/estimate.service';
import { SimForecasts } from './estimates/sim-forecasts.service';
import { EstimatesController } from './estimates/estimates.controller';
import { LiveUpdateStreams } from './live-updates/live-update-streams.service';
import { LiveUpdatesController } from './live-updates/live-updates.controller';
import { DispatchOutcomes } from './dispatch/dispatch-outcomes.service';
import { DispatchRepository } from './dispatch/dispatch.repository';
import { DispatchService } from './dispatch/dispatch.service';
import { CancellationController } from './cancellation/cancellation.controller';
import { SendsController } from './sends/sends.controller';
import { StatsController } from './stats/stats.controller';
import { GroupPlanner } from './dispatch/group-planner.service';
import { IdempotencyService } from './sends/acceptance/idempotency.service';
import { MessageRouter } from './failover/message-router.service';
import { MessageClaimer } from './dispatch/message-claimer.service';
import { IncomingSmsStore } from './phones/incoming-sms-store.service';
import { IncomingSmsService } from './phones/incoming-sms.service';
import { PhoneReports } from './failover/phone-reports.service';
import { PhonePusher } from './dispatch/phone-pusher.service';
import { PhoneStreamService } from './phones/phone-stream.service';
import { PhoneMessagesController } from './phones/phone-messages.controller';
import { PhoneController } from './phones/phone.controller';
import { PhoneService } from './phones/phone.service';
import { HeartbeatCheckService } from './heartbeats/heartbeat-check.service';
import { PoolMembersReader } from './pools/pool-members.service';
import { PoolMessagesRepository } from './pools/pool-messages.repository';
import { PoolSimulationService } from './pools/pool-simulation.service';
import { PoolViews } from './pools/pool-views.service';
import { PoolsController } from './pools/pools.controller';
import { PoolsService } from './pools/pools.service';
import { SendQueueController } from './send-queue/send-queue.controller';
import { SendQueueRepository } from './send-queue/send-queue.repository';
import { SendQueueService } from './send-queue/send-queue.service';
import { ReceiveLimitService } from './phones/receive-limit.service';
import { MessageRedeliveryService } from './phones/message-redelivery.service';
import { DeviceSenders } from './senders/device-senders.service';
import { LaneTimelines } from './senders/lane-timelines.service';
import { PoolSenders } from './senders/pool-senders.service';
import { SendPlanner } from './sends/send-planner.service';
import { SendPreparationService } from './sends/send-preparation.service';
import { SendService } from './sends/send.service';
import { SendingDeviceService } from './sends/sending-device.service';
import { SeriesService } from './stats/series.service';
import { StatsService } from './stats/stats.service';
import { StreamAccessService } from './phones/stream-access.service';
import { StreamRedelivery } from './phones/stream-redelivery.service';
import { UnconfirmedMessagesService } from './unconfirmed/unconfirmed-messages.service';
import { UnconfirmedMessagesRepository } from './unconfirmed/unconfirmed-messages.repository';
import { WaitingMessages } from './waiting/waiting-messages.service';
import { WaitingMessagesRepository } from './waiting/waiting-messages.repository';
import { WaitingReview } from './waiting/waiting-review.service';
import { WaveDispatcher } from './dispatch/wave-dispatcher.service';

/** Exported: for other modules and for programs that embed the service. */
const SHARED = [
  BatchChanges,
  BatchViews,
  CancellationRunner,
  CancellationService,
  ConnectionCheckService,
  DispatchQueue,
  DispatchRepository,
  DispatchService,
  DrainRepository,
  DrainService,
  EstimateService,
  ExpiryService,
  HeartbeatCheckService,
  IncomingSmsService,
  PoolSimulationService,
  PoolsService,
  SendQueueRepository,
  SendQueueService,
  SendRollbackService,
  SendService,
  StatsService,
  UnconfirmedMessagesService,
  WaitingReview,
  WaitingMessagesRepository,
];

@Module({
  imports: [
    AuthModule,
    BillingModule,
    DevicesModule,
    MessagesModule,
    PushModule,
    RollupsModule,
    BullModule.registerQueue({ name: DISPATCH_QUEUE }),
  ],
  controllers: [
    BatchesController,
    CancellationController,
    DeviceSendsController,
    DrainController,
    EstimatesController,
    LiveUpdatesController,
    PhoneController,
    PhoneMessagesController,
    PoolsController,
    SendQueueController,
    SendsController,
    StatsController,
  ],
  providers: [
    AcceptanceService,
    BatchChangesRepository,
    BatchRescheduler,
    BatchTimeline,
    BatchViewsRepository,
    CancellationRepository,
    DeviceSenders,
    DispatchOutcomes,
    LiveUpdateStreams,
    GroupPlanner,
    IdempotencyService,
    IncomingSmsStore,
    LaneTimelines,
    MessageClaimer,
    MessageRouter,
    PausedMessagesRepository,
    PhonePusher,
    PhoneReports,
    PhoneService,
    PhoneStreamService,
    PoolMembersReader,
    PoolMessagesRepository,
    PoolSenders,
    PoolViews,
    ReceiveLimitService,
    MessageRedeliveryService,
    SendingDeviceService,
    SendPlanner,
    SendPreparationService,
    SeriesService,
    SimForecasts,
    StreamAccessService,
    StreamRedelivery,
    UnconfirmedMessagesRepository,
    WaitingMessages,
    WaveDispatcher,
    ...SHARED,
  ],
  exports: [...SHARED, BullModule, MessagesModule],
})
export class GatewayModule {}
