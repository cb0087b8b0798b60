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
import { EventStreams } from './events/event-streams.service';
import { EventsController } from './events/events.controller';
import { DispatchOutcomes } from './dispatch/dispatch-outcomes.service';
import { DispatchRepository } from './dispatch/dispatch.repository';
import { DispatchService } from './dispatch/dispatch.service';
import { CancellationController } from './cancellation/cancellation.controller';
import { SendsController } from './sends/sends.controller';
import { StatsController } from './stats/stats.controller';
import { GroupPlanner } from './dispatch/group-planner.service';
import { IdempotencyService } from './sends/acceptance/idempotency.service';
import { MessageRouter } from './failover/message-router.service';
import { MessagePusher } from './dispatch/message-pusher.service';
import { IncomingSmsStore } from './phones/incoming-sms-store.service';
import { IncomingSmsService } from './phones/incoming-sms.service';
import { PhoneReports } from './failover/phone-reports.service';
import { PhonePusher } from './dispatch/phone-pusher.service';
import { PhoneStreamService } from './phones/phone-stream.service';
import { PhoneMessagesController } from './phones/phone-messages.controller';
import { PhoneController } from './phones/phone.controller';
import { PhoneService } from './phones/phone.service';
import { HeartbeatCheckService } from './heartbeats/heartbeat-check.service';
import { PoolMembers } from './pools/pool-members.service';
import { PoolMessagesRepository } from './pools/pool-messages.repository';
import { PoolSimulationService } from './pools/pool-simulation.service';
import { PoolViews } from './pools/pool-views.service';
import { PoolsController } from './pools/pools.controller';
import { PoolsService } from './pools/pools.service';
import { QueueController } from './queue/queue.controller';
import { QueueRepository } from './queue/queue.repository';
import { QueueService } from './queue/queue.service';
import { ReceiveLimitService } from './phones/receive-limit.service';
import { RedeliveryService } from './phones/redelivery.service';
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
import { UnconfirmedMessagesService } from './dispatch/unconfirmed-messages.service';
import { WaitingMessages } from './waiting/waiting-messages.service';
import { WaitingMessagesRepository } from './waiting/waiting-messages.repository';
import { WaitingReview } from './waiting/waiting-review.service';
import { WavePusher } from './dispatch/wave-pusher.service';

/** The providers that other modules use, too. */
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
  QueueRepository,
  QueueService,
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
    EventsController,
    PhoneController,
    PhoneMessagesController,
    PoolsController,
    QueueController,
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
    EventStreams,
    GroupPlanner,
    IdempotencyService,
    IncomingSmsStore,
    LaneTimelines,
    MessagePusher,
    MessageRouter,
    PausedMessagesRepository,
    PhonePusher,
    PhoneReports,
    PhoneService,
    PhoneStreamService,
    PoolMembers,
    PoolMessagesRepository,
    PoolSenders,
    PoolViews,
    ReceiveLimitService,
    RedeliveryService,
    SendingDeviceService,
    SendPlanner,
    SendPreparationService,
    SeriesService,
    SimForecasts,
    StreamAccessService,
    StreamRedelivery,
    WaitingMessages,
    WavePusher,
    ...SHARED,
  ],
  exports: [...SHARED, BullModule, MessagesModule],
})
export class GatewayModule {}
