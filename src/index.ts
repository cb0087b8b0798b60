/**
 * The public API of the package, for another backend on the same database, such as a dashboard. Import InfrastructureModule
 * once, and the feature modules whose services you call with an `AccountScope`; these modules run no queue jobs or schedulers. Express and Fastify
 * are supported. They mount no route: ApiModule mounts those of
 * the REST API. AuthGuardsModule guards all routes and parses bodies after authentication, so create the application with
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
export { ApiModule } from './api.module';
export { AuthModule } from './auth/auth.module';
export { AuthGuardsModule } from './auth/authentication/auth-guards.module';
export { AuthService } from './auth/authentication/auth.service';
export type { StopScope, StoredConsentSettings } from './auth/accounts/consent-settings';
export type { PhoneKey } from './auth/phone-key';
export * from './auth/sessions/session.errors';
export type { Client } from './auth/client';
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
export type { PushTransportName } from './common/push-transports';
export { API_VERSION, VERSION } from './common/version';
export type { AutoReply, AutoReplyKind } from './consent/auto-replies/auto-reply.schema';
export type { ContactChanges, TextChange } from './contact-imports/rows/contact-changes';
export { ContactImportsModule } from './contact-imports/contact-imports.module';
export { TooManyFieldNames } from './contact-imports/export/contact-csv';
export { ContactFile } from './contact-imports/export/contact-file.service';
export * from './contact-imports/store/import.errors';
export type { ImportOptions } from './contact-imports/staging/import-options';
export type {
  ExistingChoice,
  Import,
  ImportCounts,
  ImportKind,
  ImportState,
  StoredColumn,
  UndoCounts,
} from './contact-imports/store/import.schema';
export type { ImportRow, RowOutcome } from './contact-imports/store/import-row.schema';
export type { RefusedRow } from './contact-imports/store/import-rows.repository';
export { type ImportPage, Imports } from './contact-imports/imports.service';
export type { ColumnTarget } from './contact-imports/reading/column-target';
export type { FileOptions } from './contact-imports/reading/file-rows';
export type { ColumnOptions } from './contact-imports/reading/map-columns';
export type { ContactEntry } from './contact-imports/rows/contact-entry';
export type { Refusal, RefusalCode } from './contact-imports/rows/refusal';
export type { ImportStamp } from './contacts/store/contact.schema';
export { ConsentModule } from './consent/consent.module';
export type { ConsentDecision, ConsentRecord, ConsentSource } from './consent/records/consent-record.schema';
export {
  type ConsentRecordPage,
  type ConsentRecordQuery,
  ConsentRecords,
} from './consent/records/consent-records.service';
export type { ConsentSettings, ConsentSettingsPatch } from './consent/settings/consent-settings';
export { ConsentSettingsService } from './consent/settings/consent-settings.service';
export type {
  ImportedRow,
  Suppression,
  SuppressionCovers,
  SuppressionState,
} from './consent/suppressions/suppression.schema';
export type { ConsentLanguage, KeywordMeaning, Keywords } from './consent/words/languages/word-list';
export type { AuthConfig } from './config/sections/auth.config';
export type { BillingConfig } from './config/sections/billing.config';
export { type Configuration, loadConfiguration } from './config/configuration';
export type { DatabaseConfig } from './config/sections/database.config';
export type { DevicesConfig } from './config/sections/devices.config';
export type { DispatchConfig } from './config/sections/dispatch.config';
export type { EncryptionConfig } from './config/sections/encryption.config';
export { ConfigurationError, type Environment } from './config/environment/environment';
export type { HttpConfig, TrustedProxies } from './config/sections/http.config';
export type { LimitsConfig } from './config/sections/limits.config';
export type { MailConfig } from './config/sections/mail.config';
export type { MaintenanceConfig } from './config/sections/maintenance.config';
export type { LogLevelName, OpsConfig } from './config/sections/ops.config';
export type { FirebaseServiceAccount, PushConfig } from './config/sections/push.config';
export type { RedisAccess, RedisHost, RedisHosts, RedisMaster } from './config/sections/redis-hosts';
export type { RedisConfig, RedisLocation } from './config/sections/redis.config';
export type { RetentionConfig } from './config/sections/retention.config';
export type { Role, RolesConfig } from './config/sections/roles.config';
export type { WebhooksConfig } from './config/sections/webhooks.config';
export type { Connection } from './devices/connection/connection';
export type { BlockKind, BreakerState } from './devices/states/breaker-state';
export type { ConnectionState } from './devices/states/connection-state';
export type {
  DeviceAttributes,
  HeartbeatAttributes,
  ReportedField,
  SimAttributes,
} from './devices/store/device-attributes';
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
  ExportRequest,
  OsVersionSource,
  SimInfoEntry as Sim,
  StreamRecord,
} from './devices/store/device.schema';
export type * from './devices/store/reported-groups';
export * from './contacts/store/contact.errors';
export type { ContactInput, ContactNumberInput } from './contacts/store/contact-input';
export type { ContactPosition } from './contacts/store/contact-cursor';
export {
  type ContactFilter,
  type ContactPage,
  ContactPages,
  type ContactQuery,
} from './contacts/contact-pages.service';
export type { Contact, ContactContent, ContactField, ContactNumber } from './contacts/store/contact.schema';
export { ContactsModule } from './contacts/contacts.module';
export type { ContactName } from './contacts/store/contacts.repository';
export { ContactsService } from './contacts/contacts.service';
export type { ContactList, SegmentCondition } from './contacts/lists/contact-list.schema';
export {
  type ContactListInput,
  ContactLists,
  type ContactListView,
} from './contacts/lists/contact-lists.service';
export * from './erasure/people/person.errors';
export * from './devices/store/devices.errors';
export { DevicesModule } from './devices/devices.module';
export type { DeviceLabel, DeviceSummary } from './devices/store/devices.repository';
export { DevicesService, type DeviceView } from './devices/devices.service';
export type { Breaker, Canary } from './devices/sims/health/breaker';
export type { HealthFacts, HealthSummary, ObservedRate } from './devices/sims/health/sim-health';
export type { PaceSlot } from './devices/pace/phone-pace';
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
export type { SimLimits, SimRecord } from './devices/sims/schemas/sim.schema';
export * from './devices/sims/sims.errors';
export { type SimLimitsPatch, type SimPatch, SimsService, type SimView } from './devices/sims/sims.service';
export type {
  LimitReason,
  PeriodLimit,
  PoolReason,
  SimReason,
  WaitReason,
} from './devices/states/wait-reasons';
export type { DevicePushError } from './devices/store/push-error';
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
export type { CancelResponse } from './gateway/cancellation/http/cancel.response';
export {
  type CancellationResult,
  CancellationService,
  type CancelRequest,
  type HandedMessage,
} from './gateway/cancellation/cancellation.service';
export type { DrainCounts } from './gateway/drain/drain.repository';
export { type DrainProgress, DrainService } from './gateway/drain/drain.service';
export type { EstimateResponse, SimShareResponse } from './gateway/insight/estimates/http/estimate.response';
export { type Estimate, EstimateService } from './gateway/insight/estimates/estimate.service';
export { ExplanationService } from './gateway/insight/explanation/explanation.service';
export { STEP_CODES, type StepCode } from './gateway/insight/explanation/sentences';
export type { StepFacts } from './gateway/insight/explanation/step-facts';
export type { Step } from './gateway/insight/explanation/steps';
export { GatewayModule } from './gateway/gateway.module';
export type { SimForecast, SimShare } from './gateway/insight/estimates/sim-forecasts.service';
export type { HeldBack } from './gateway/routing/held-back';
export type { HeldBackResponse } from './gateway/batches/http/held-back.response';
export * from './phones/phone.errors';
export type { PoolPatchRequest, PoolRequest } from './gateway/pools/http/pool.request';
export * from './gateway/senders/pool.errors';
export { type PoolSimulation, PoolSimulationService } from './gateway/pools/pool-simulation.service';
export type { PoolCandidate } from './gateway/senders/pool-view';
export {
  type NewPool,
  type PoolPatch,
  PoolsService,
  type PoolWithDefault,
} from './gateway/pools/pools.service';
export type {
  KeptEntry,
  OnInvalidNumber,
  SendEntryInput,
  SendInput,
  SendOptionsInput,
} from './gateway/send-input/send-input';
export type { SkippedRecipient, SkippedRecipients } from './gateway/send-input/skip-unreadable';
export * from './gateway/suppressions/suppression.errors';
export type { SuppressionView } from './gateway/suppressions/suppression-views.service';
export {
  type NewSuppression,
  type SuppressionPage,
  type SuppressionQuery,
  Suppressions,
} from './gateway/suppressions/suppressions.service';
export { type AccountProblem, PROBLEM_CODES, type ProblemCode } from './gateway/insight/problems/problems';
export { ProblemsService } from './gateway/insight/problems/problems.service';
export type { QueueResponse, SimQueueResponse } from './gateway/insight/send-queue/http/send-queue.response';
export {
  type AccountQueue,
  SendQueueService,
  type SimQueue,
  type QueueTotals,
} from './gateway/insight/send-queue/send-queue.service';
export * from './gateway/send-input/send.errors';
export type { SendSize } from './gateway/send-input/send-size';
export type { SkippedRecipientResponse, SkippedRecipientsResponse } from './gateway/sends/http/send.response';
export { SendService, type SendResult } from './gateway/sends/send.service';
export {
  type SeriesBucket,
  type SeriesPoint,
  type SeriesQuery,
  SeriesService,
} from './gateway/insight/stats/series.service';
export type { MonthResponse } from './gateway/insight/stats/http/stats.response';
export { type AccountTotals, type MonthTotals, StatsService } from './gateway/insight/stats/stats.service';
export { InfrastructureModule } from './infrastructure/infrastructure.module';
export type { OwnedDocument } from './infrastructure/mongo/owned-document';
export type { CountKind, HourCount, MessageTotals, Totals } from './totals/totals.schema';
export type { CountedOutcome, MessageOutcome } from './messages/batch-progress';
export type {
  Acceptance,
  Batch,
  BatchChange,
  BatchPurpose,
  DispatchGroup,
  Purpose,
  QuietHours,
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
export type { MessageEvent, OutboxEntry, UnconfirmedReason } from './messages/message-event';
export * from './messages/lists/message-list.errors';
export type { ShownMessage } from './messages/shown-message';
export {
  type MessageListMeta,
  MessageListService,
  type MessagePage,
} from './messages/lists/message-list.service';
export {
  type DirectionChoice,
  type ListStart,
  type MessageFilter,
  type MessageQuery,
  type RawMessageQuery,
  parseMessageQuery,
} from './messages/lists/message-query';
export type { MessageStatus, OutgoingStatus } from './messages/message-status';
export type {
  AttemptOutcome,
  Direction,
  EndedAttempt,
  MovedFrom,
  Message,
  Priority,
  RepairedField,
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
export * from './gateway/loop-tests/loop-tests.errors';
export * from './gateway/routing/move.errors';
export * from './pairing-codes/pairing-code.errors';
export * from './phones/replacement/replacement.errors';
export * from './phones/smsgate/smsgate.errors';
export { SmsGateHttpModule } from './phones/smsgate/smsgate-http.module';
export type { RemovalOptions } from './devices/device-removal.service';
export type { PairedPhone } from './devices/registration/device-registration.service';
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
export type { LaterReport, LaterStatus } from './messages/later-reports';
export type { Country } from './common/peer-number';
export type { ReplayFilter } from './webhooks/redelivery/redelivery.repository';
export {
  WebhookRedeliveryService,
  type ReplayResult,
} from './webhooks/redelivery/webhook-redelivery.service';
export type {
  CustomHeader,
  PreviousSecret,
  RunnerLease,
  SubscriptionNote,
  WebhookSubscription,
} from './webhooks/webhook-subscription.schema';
export type { SubscriptionLabel } from './webhooks/subscriptions/webhook-subscriptions.repository';
export type { SubscriptionWithSecret } from './webhooks/subscriptions/subscription-views.service';
export {
  type NewSubscription,
  type SubscriptionPatch,
  WebhookSubscriptionsService,
} from './webhooks/subscriptions/webhook-subscriptions.service';
export type { EmittedEvent, WebhookEvent } from './webhooks/webhook-event';
export * from './webhooks/webhooks.errors';
export { WebhooksModule } from './webhooks/webhooks.module';
