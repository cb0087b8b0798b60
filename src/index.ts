/**
 * The public API of the package, for another backend on the same database, such as a dashboard. Import InfrastructureModule
 * once, and the feature modules whose services you call with an `AccountScope`; these modules run no queue jobs or schedulers. Express and Fastify
 * are supported. AuthModule guards all routes and parses bodies after authentication, so create the application with
 * `bodyParser: false`. HttpConventionsModule adds validation, response envelopes and error responses. Address limits use
 * `request.ip`: behind a proxy, set `trust proxy` (Express) or `trustProxy` (Fastify).
 */
export {
  accountScope,
  type AccountScope,
  type AuthenticatedAccount,
  type Credential,
  CurrentAccount,
} from './auth/account-scope';
export * from './auth/auth.errors';
export * from './auth/api-keys/api-key.errors';
export * from './auth/limits/limit.errors';
export { AuthModule } from './auth/auth.module';
export { AuthService } from './auth/auth.service';
export type { PhoneKey } from './auth/api-keys/phone-key';
export * from './auth/sessions/session.errors';
export type { Client } from './auth/sessions/session.schema';
export { PlanLimitReached } from './billing/billing.errors';
export { BillingModule } from './billing/billing.module';
export { BillingService, type Charge, type Move, type Refund } from './billing/billing.service';
export type { ChargedRequest } from './billing/plan-limits';
export type { DayCharge } from './billing/usage/day-charge';
export { AppError, type ErrorKind, type FieldError, Unauthorized, ValidationFailed } from './common/errors';
export { MalformedBody } from './common/http/requests/request-shape';
export type { Page } from './common/http/responses/envelope.interceptor';
export { HttpConventionsModule } from './common/http/http-conventions.module';
export { BodyTooLarge } from './common/http/requests/request-body';
export { API_VERSION, VERSION } from './common/version';
export type { AuthConfig } from './config/sections/auth.config';
export type { BillingConfig } from './config/sections/billing.config';
export { type Configuration, loadConfiguration } from './config/configuration';
export type { DatabaseConfig } from './config/sections/database.config';
export type { DevicesConfig } from './config/sections/devices.config';
export type { DispatchConfig } from './config/sections/dispatch.config';
export type { EncryptionConfig } from './config/sections/encryption.config';
export { ConfigurationError, type Environment } from './config/environment';
export type { HttpConfig, TrustedProxies } from './config/sections/http.config';
export type { LimitsConfig } from './config/sections/limits.config';
export type { MailConfig } from './config/sections/mail.config';
export type { MaintenanceConfig } from './config/sections/maintenance.config';
export type { LogLevelName, OpsConfig } from './config/sections/ops.config';
export type { FirebaseServiceAccount, PushConfig } from './config/sections/push.config';
export type { RedisConfig } from './config/sections/redis.config';
export type { RetentionConfig } from './config/sections/retention.config';
export type { Role, RolesConfig } from './config/sections/roles.config';
export type { WebhooksConfig } from './config/sections/webhooks.config';
export type { Connection } from './devices/connection/connection';
export type { ConnectionState } from './devices/connection/connection-state';
export type { DeviceAttributes, HeartbeatAttributes, SimAttributes } from './devices/device-attributes';
export type {
  DeviceRequest,
  SimInfoEntryRequest as SimRequest,
  SimInfoRequest,
} from './devices/dto/device.request';
export type { HeartbeatRequest } from './devices/dto/heartbeat.request';
export { DeviceHeartbeatService } from './devices/device-heartbeat.service';
export type { OperationalDocument } from './devices/events/operational-document';
export type {
  DeviceEventDetails,
  EventSim,
  OperationalDetails,
  OperationalEntry,
  OperationalEvent,
  SimLimitDetails,
  SimUnhealthyDetails,
} from './devices/events/operational-event';
export type {
  Device,
  OsVersionSource,
  PushTransportName,
  SimInfoEntry as Sim,
  StreamRecord,
} from './devices/device.schema';
export type * from './devices/dto/reported-groups';
export * from './devices/devices.errors';
export { DevicesModule } from './devices/devices.module';
export type { DeviceLabel, DeviceSummary } from './devices/devices.repository';
export { DevicesService, type DeviceView } from './devices/devices.service';
export type { SimLimitsRequest, SimPatchRequest } from './devices/sims/dto/sim.request';
export type { BlockKind, Breaker, BreakerState, Canary } from './devices/sims/health/breaker';
export type { HealthFacts, HealthSummary, ObservedRate } from './devices/sims/health/sim-health';
export type { LimitUsage } from './devices/sims/limits/usage-state';
export type {
  Candidate,
  ChoiceReason,
  PoolStrategy,
  Rejection,
  RejectionReason,
  SimChoice,
} from './devices/sims/pools/choose-sim';
export type { Pool } from './devices/sims/pools/pool.schema';
export type { SimLimits, SimRecord } from './devices/sims/sim.schema';
export * from './devices/sims/sims.errors';
export { type SimPatch, SimsService, type SimView } from './devices/sims/sims.service';
export type {
  LimitReason,
  PeriodLimit,
  PoolReason,
  SimReason,
  WaitReason,
} from './devices/sims/wait-reasons';
export type { DevicePushError } from './devices/push-error';
export type { PhoneFacts } from './devices/problems/phone-facts';
export type { Problem, ProblemSubject, Severity } from './devices/problems/problem';
export type { PhoneHealth, PhoneProblem, PhoneProblemCode } from './devices/problems/phone-problems';
export { BatchChanges } from './gateway/batches/batch-changes.service';
export type { ChangingBatch } from './gateway/batches/batch-changes.repository';
export type {
  BatchFilter,
  BatchState,
  ListedBatch,
  MessageTally,
} from './gateway/batches/batch-views.repository';
export {
  type BatchPage,
  type BatchQuery,
  type BatchSummary,
  BatchViews,
  type SimCount,
} from './gateway/batches/batch-views.service';
export type { StateCounts } from './gateway/batches/batch-forecast';
export * from './gateway/batches/batches.errors';
export type { CancelResponse } from './gateway/cancellation/cancel.response';
export { CancellationService, type CancellationResult } from './gateway/cancellation/cancellation.service';
export type { DrainCounts } from './gateway/drain/drain.repository';
export { type DrainProgress, DrainService } from './gateway/drain/drain.service';
export type { EstimateResponse, SimShareResponse } from './gateway/estimates/estimate.response';
export { type Estimate, EstimateService } from './gateway/estimates/estimate.service';
export { ExplanationModule } from './gateway/explanation/explanation.module';
export { ExplanationService } from './gateway/explanation/explanation.service';
export { type Step, STEP_CODES, type StepCode } from './gateway/explanation/steps';
export { GatewayModule } from './gateway/gateway.module';
export type { SimForecast, SimShare } from './gateway/estimates/sim-forecasts.service';
export type { HeldBack } from './gateway/waiting/held-back';
export type { HeldBackResponse } from './gateway/waiting/held-back.response';
export * from './gateway/phones/phone.errors';
export type { PoolPatchRequest, PoolRequest } from './gateway/pools/dto/pool.request';
export * from './gateway/pools/pool.errors';
export { type PoolSimulation, PoolSimulationService } from './gateway/pools/pool-simulation.service';
export type { PoolCandidate } from './gateway/pools/pool-view';
export {
  type NewPool,
  type PoolPatch,
  PoolsService,
  type PoolWithDefault,
} from './gateway/pools/pools.service';
export type {
  QuietHoursRequest,
  SendOptionsInput,
  SendOptionsRequest,
} from './gateway/dto/send-options.request';
export type { SendEntryInput, SendEntryRequest, SendInput } from './gateway/dto/send.request';
export { type AccountProblem, PROBLEM_CODES, type ProblemCode } from './gateway/problems/problems';
export { ProblemsModule } from './gateway/problems/problems.module';
export { ProblemsService } from './gateway/problems/problems.service';
export type { QueueResponse, SimQueueResponse } from './gateway/send-queue/send-queue.response';
export { type AccountQueue, SendQueueService, type SimQueue } from './gateway/send-queue/send-queue.service';
export * from './gateway/sends/send.errors';
export type { SendSize } from './gateway/sends/send-size';
export { SendService, type SendResult } from './gateway/sends/send.service';
export {
  type SeriesBucket,
  type SeriesPoint,
  type SeriesQuery,
  SeriesService,
} from './gateway/stats/series.service';
export type { MonthResponse } from './gateway/stats/stats.response';
export { type AccountTotals, type MonthTotals, StatsService } from './gateway/stats/stats.service';
export { InfrastructureModule } from './infrastructure/infrastructure.module';
export type { OwnedDocument } from './infrastructure/mongo/owned-document';
export type { CountKind, HourCount, MessageTotals, Totals } from './maintenance/rollups/totals.schema';
export type { CountedOutcome, MessageOutcome } from './messages/batch-progress';
export type {
  Acceptance,
  Batch,
  BatchChange,
  DispatchGroup,
  QuietHours,
  RemovedProgress,
} from './messages/batch.schema';
export * from './messages/conversations/conversation.errors';
export {
  type ConversationListMeta,
  type ConversationQuery,
  ConversationsService,
  type ConversationView,
} from './messages/conversations/conversations.service';
export type { ConversationFilter } from './messages/conversations/conversations.repository';
export type { LastMessage } from './messages/conversations/conversation-messages.repository';
export * from './messages/views/view.errors';
export type { View } from './messages/views/view.schema';
export type { ViewPatch } from './messages/views/views.repository';
export { ViewsService } from './messages/views/views.service';
export type { Order, Position } from './messages/lists/message-cursor';
export type { MessageEvent, OutboxEntry, UnconfirmedReason } from './messages/outbox/message-event';
export * from './messages/lists/message-list.errors';
export type { ShownMessage } from './messages/lists/message-list.repository';
export {
  type MessageListMeta,
  MessageListService,
  type MessagePage,
} from './messages/lists/message-list.service';
export {
  type ListStart,
  type MessageFilter,
  type MessageQuery,
  type RawMessageQuery,
  parseMessageQuery,
} from './messages/lists/message-query';
export type {
  DirectionChoice,
  MessageFilterRequest,
  MessageListRequest,
} from './messages/dto/message-list.request';
export type { MessageStatus, OutgoingStatus } from './messages/message-status';
export type {
  AttemptOutcome,
  Direction,
  EndedAttempt,
  Message,
  Priority,
  WaitingFor,
} from './messages/message.schema';
export type { Encoding } from './messages/text/segments';
export * from './messages/deletion/message-deletion.errors';
export { MessageDeletionService } from './messages/deletion/message-deletion.service';
export * from './messages/messages.errors';
export { MessagesModule } from './messages/messages.module';
export { type BatchView, type MessageView, MessagesService } from './messages/messages.service';
export type { AppliedReport, DueMove } from './messages/reports/attempt-reports.repository';
export { ReportsService } from './messages/reports/reports.service';
export type { StatusReport } from './messages/reports/status-report';
export * from './ops/operations/operations.errors';
export type { DeliverySummary, HistoryFilter } from './webhooks/history/delivery-history.repository';
export {
  type DeliveriesOfMessage,
  DeliveryHistoryService,
  type DeliveryWithDevice,
  type HistoryPage,
  type HistoryQuery,
} from './webhooks/history/delivery-history.service';
export type {
  AttemptRecord,
  CountChange,
  Delivery,
  DeliveryStatus,
  ErrorType,
} from './webhooks/deliveries/delivery.schema';
export type { ReplayFilter } from './webhooks/redelivery/redelivery.repository';
export {
  WebhookRedeliveryService,
  type ReplayResult,
} from './webhooks/redelivery/webhook-redelivery.service';
export type {
  PreviousSecret,
  RunnerLease,
  SubscriptionNote,
  WebhookSubscription,
} from './webhooks/subscriptions/webhook-subscription.schema';
export type { SubscriptionLabel } from './webhooks/subscriptions/webhook-subscriptions.repository';
export type { SubscriptionWithSecret } from './webhooks/subscriptions/subscription-views.service';
export {
  type NewSubscription,
  type SubscriptionPatch,
  WebhookSubscriptionsService,
} from './webhooks/subscriptions/webhook-subscriptions.service';
export type {
  WebhookSubscriptionChangesRequest,
  WebhookSubscriptionRequest,
} from './webhooks/dto/subscription.request';
export type { EmittedEvent, WebhookEvent } from './webhooks/relay/webhook-event';
export * from './webhooks/webhooks.errors';
export { WebhooksModule } from './webhooks/webhooks.module';
