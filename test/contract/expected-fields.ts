import { CHECK_CODES, CHECK_STATES, FINDING_CODES } from '../../src/gateway/insight/checkup/findings';
import { REFUSAL_CODES } from '../../src/contact-imports/rows/refusal';
import { MOVE_REFUSALS } from '../../src/gateway/moves/move-refusal';
import { FieldTable, optional, optionalList, required, requiredList } from './field-table';

// The fields of responses and webhook events, written by hand, independent of the code and the API document.

export const ACCOUNT_TOTALS: FieldTable = {
  totalSentSMSCount: required('number'),
  totalReceivedSMSCount: required('number'),
  totalDeviceCount: required('number'),
  totalApiKeyCount: required('number'),
};

const CONSENT_SOURCE = ['keyword', 'web', 'api', 'import'];

export const CONSENT_SETTINGS: FieldTable = {
  enabled: required('boolean'),
  asked: required('boolean'),
  stopCovers: required(['topic', 'undeclared', 'everything']),
  languages: requiredList(['en', 'de', 'es', 'fr', 'pt']),
  keywords: required({
    out: requiredList('string'),
    in: requiredList('string'),
    help: requiredList('string'),
  }),
  senderName: optional('string'),
  contact: optional('string'),
  confirmation: required('boolean'),
};

export const SUPPRESSION: FieldTable = {
  _id: required('string'),
  number: required('string'),
  topic: optional('string'),
  state: required(['out', 'held']),
  covers: required(['undeclared', 'everything']),
  source: required(CONSENT_SOURCE),
  at: required('date-time'),
  outAt: optional('date-time'),
  words: optional('string'),
  messageId: optional('string'),
  reason: optional('string'),
  confirmation: optional({
    state: required(['waiting', 'accepted', 'refused']),
    at: required('date-time'),
    smsBatchId: optional('string'),
    reason: optional('string'),
  }),
  contact: optional({ _id: required('string'), name: required('string') }),
};

export const SUPPRESSION_CHECK: FieldTable = {
  blocked: requiredList('number'),
  blocks: requiredList({ index: required('number'), ...SUPPRESSION }),
};

export const OPT_OUT_CANDIDATE: FieldTable = {
  number: required('string'),
  words: required('string'),
  at: required('date-time'),
  messageId: required('string'),
};

export const CONSENT: FieldTable = {
  _id: required('string'),
  number: required('string'),
  topic: optional('string'),
  state: required(['out', 'held', 'in']),
  source: required(CONSENT_SOURCE),
  at: required('date-time'),
  words: optional('string'),
  messageId: optional('string'),
  deviceId: optional('string'),
  simSubscriptionId: optional('number'),
  person: optional('string'),
  reason: optional('string'),
  fileHash: optional('string'),
  fileLine: optional('number'),
  importId: optional('string'),
};

export const NOTICES: FieldTable = {
  mail: required('boolean'),
  phoneOffline: required('boolean'),
  phoneBack: required('boolean'),
  simUnhealthy: required('boolean'),
  webhookPaused: required('boolean'),
  planNearlyUsed: required('boolean'),
  offlineAfterMinutes: required('number'),
  mailState: required(['on', 'no_mail_server', 'address_unverified']),
  lastMail: optional({ at: required('date-time'), result: required(['sent', 'failed']) }),
};

/** A SIM in the `simInfo` of a device. */
const SIM_INFO_ENTRY: FieldTable = {
  subscriptionId: required('number'),
  iccId: optional('string'),
  cardId: optional('number'),
  carrierName: optional('string'),
  displayName: optional('string'),
  simSlotIndex: optional('number'),
  mcc: optional('string'),
  mnc: optional('string'),
  countryIso: optional('string'),
  subscriptionType: optional('string'),
};

const LIMIT_USAGE = optional({ used: required('number'), resetsAt: optional('date-time') });

export const POOL: FieldTable = {
  _id: required('string'),
  name: required('string'),
  sims: requiredList('string'),
  strategy: required('string'),
  countries: optional({ '+49': requiredList('string') }),
  isDefault: required('boolean'),
  createdAt: required('date-time'),
  updatedAt: required('date-time'),
};

export const LOOP_TEST: FieldTable = {
  sims: requiredList({
    _id: required('string'),
    name: required('string'),
    phoneNumber: optional('string'),
    device: optional('string'),
    isPresent: required('boolean'),
  }),
  nightly: required('boolean'),
  nightlyHour: required('number'),
  nextRunAt: optional('date-time'),
  run: optional({
    _id: required('string'),
    startedAt: required('date-time'),
    endedAt: optional('date-time'),
    directions: requiredList({
      from: required('string'),
      to: required('string'),
      message: optional('string'),
      result: required(['waiting', 'arrived', 'lost', 'not_sent']),
      reason: optional([
        'refused',
        'not_handed_over',
        'failed',
        'not_reported',
        'receiving_off',
        'receiver_offline',
        'not_received',
      ]),
      seconds: optional('number'),
      refusal: optional('string'),
    }),
  }),
};

/** All messages with one number. */
export const CONVERSATION: FieldTable = {
  number: required('string'),
  lastMessage: required({
    _id: required('string'),
    direction: required(['sent', 'received']),
    message: required('string'),
    encrypted: optional('boolean'),
    status: optional('string'),
    device: required('string'),
    sim: optional('string'),
    simSubscriptionId: optional('number'),
    createdAt: required('date-time'),
  }),
  unreadCount: required('number'),
  unanswered: required('boolean'),
  contact: optional({ _id: required('string'), name: required('string') }),
  note: optional('string'),
};

export const CONTACT: FieldTable = {
  _id: required('string'),
  name: required('string'),
  numbers: requiredList({
    number: required('string'),
    peerNumber: required('string'),
    label: optional('string'),
  }),
  fields: required('object'),
  tags: requiredList('string'),
  lists: requiredList('string'),
  notes: optional('string'),
  language: optional('string'),
  createdAt: required('date-time'),
  updatedAt: required('date-time'),
};

export const IMPORT: FieldTable = {
  _id: required('string'),
  kind: required(['contacts', 'suppressions']),
  state: required(['reading', 'applying', 'done', 'undoing', 'undone']),
  fileName: optional('string'),
  fileHash: optional('string'),
  columns: requiredList({ header: required('string'), target: required('string') }),
  listId: optional('string'),
  tags: optionalList('string'),
  onExisting: optional(['update', 'skip']),
  topic: optional('string'),
  rowCount: required('number'),
  appliedCount: required('number'),
  counts: required({
    created: required('number'),
    updated: required('number'),
    unchanged: required('number'),
    refused: required('number'),
  }),
  undone: optional({
    removed: required('number'),
    restored: required('number'),
    kept: required('number'),
    changed: required('number'),
  }),
  leftToUndo: optional('number'),
  refusals: optionalList({
    line: required('number'),
    field: required('string'),
    value: required('string'),
    code: required([...REFUSAL_CODES]),
    reason: required('string'),
  }),
  createdAt: required('date-time'),
  endedAt: optional('date-time'),
  keptUntil: required('date-time'),
};

export const CONTACT_LIST: FieldTable = {
  _id: required('string'),
  name: required('string'),
  segment: optional({ tag: optional('string'), field: optional('string'), value: optional('string') }),
  memberCount: required('number'),
  createdAt: required('date-time'),
  updatedAt: required('date-time'),
};

/** A saved query of the message list. */
export const VIEW: FieldTable = {
  _id: required('string'),
  name: required('string'),
  query: required('string'),
  createdAt: required('date-time'),
  updatedAt: required('date-time'),
};

/** A SIM of the account, in `gateway/sims`. */
export const SIM_RECORD: FieldTable = {
  _id: required('string'),
  device: optional('string'),
  subscriptionId: optional('number'),
  iccId: optional('string'),
  label: optional('string'),
  phoneNumber: optional('string'),
  carrierName: optional('string'),
  countryIso: optional('string'),
  enabled: required('boolean'),
  health: required({
    state: required('string'),
    failureRate: required('number'),
    since: optional('date-time'),
  }),
  limits: required({
    partsPerMinute: optional('number'),
    messagesPerHour: optional('number'),
    messagesPerDay: optional('number'),
    messagesPerMonth: optional('number'),
    recipientsPerMonth: optional('number'),
    monthStartsOn: optional('number'),
    timeZone: optional('string'),
  }),
  usage: required({
    partsPerMinute: LIMIT_USAGE,
    messagesPerHour: LIMIT_USAGE,
    messagesPerDay: LIMIT_USAGE,
    messagesPerMonth: LIMIT_USAGE,
    recipientsPerMonth: LIMIT_USAGE,
  }),
};

const LAST_UPDATED: FieldTable = { lastUpdated: optional('date-time') };

const PHONE_PROBLEMS = [
  'push_not_set_up',
  'phone_offline',
  'phone_unresponsive',
  'phone_fetches_rarely',
  'phone_disabled',
  'incoming_messages_ignored',
  'battery_optimization_on',
  'battery_low',
  'sim_unhealthy',
  'sim_limit_reached',
  'sim_limit_near',
] as const;

export const DEVICE: FieldTable = {
  _id: required('string'),
  user: required('string'),
  enabled: required('boolean'),
  isDefault: required('boolean'),
  brand: required('string'),
  manufacturer: required('string'),
  model: required('string'),
  name: optional('string'),
  buildId: required('string'),
  os: required('string'),
  osVersion: required('string'),
  osApiLevel: optional('number'),
  osVersionSource: optional(['reported', 'fingerprint', 'buildId']),
  osBuildFingerprint: optional('string'),
  appVersionName: optional('string'),
  appVersionCode: optional('number'),
  sentSMSCount: required('number'),
  receivedSMSCount: required('number'),
  heartbeatEnabled: required('boolean'),
  heartbeatIntervalMinutes: required('number'),
  receiveSMSEnabled: required('boolean'),
  smsSendDelaySeconds: required('number'),
  lastHeartbeat: optional('date-time'),
  batteryInfo: optional({ percentage: optional('number'), isCharging: optional('boolean'), ...LAST_UPDATED }),
  networkInfo: optional({ networkType: optional('string'), ...LAST_UPDATED }),
  appVersionInfo: optional({
    versionName: optional('string'),
    versionCode: optional('number'),
    ...LAST_UPDATED,
  }),
  deviceUptimeInfo: optional({ uptimeMillis: optional('number'), ...LAST_UPDATED }),
  memoryInfo: optional({
    freeBytes: optional('number'),
    totalBytes: optional('number'),
    maxBytes: optional('number'),
    ...LAST_UPDATED,
  }),
  storageInfo: optional({
    availableBytes: optional('number'),
    totalBytes: optional('number'),
    ...LAST_UPDATED,
  }),
  systemInfo: optional({ timezone: optional('string'), locale: optional('string'), ...LAST_UPDATED }),
  powerInfo: optional({
    isIgnoringBatteryOptimizations: optional('boolean'),
    isDeviceIdleMode: optional('boolean'),
    isPowerSaveMode: optional('boolean'),
    ...LAST_UPDATED,
  }),
  simInfo: optional({ lastUpdated: required('date-time'), sims: requiredList(SIM_INFO_ENTRY) }),
  partsPerMinute: optional('number|null'),
  defaultSim: optional('number'),
  drainingSince: optional('date-time'),
  lastContactAt: optional('date-time'),
  connection: required({
    state: required(['online', 'unresponsive', 'offline']),
    since: required('date-time'),
  }),
  health: required({
    state: required(['ok', 'warning', 'error']),
    reasons: requiredList({ code: required(PHONE_PROBLEMS), text: required('string') }),
  }),
  isVirtual: required('boolean'),
  pushError: optional({ code: required('string'), message: required('string') }),
  createdAt: required('date-time'),
  updatedAt: required('date-time'),
};

const WAIT_REASONS = [
  'parts_per_minute',
  'messages_per_hour',
  'messages_per_day',
  'messages_per_month',
  'recipients_per_month',
  'sim_disabled',
  'sim_absent',
  'sim_unhealthy',
  'phone_unreachable',
  'phone_fetch',
  'no_sim_for_country',
  'pool_empty',
  'quiet_hours',
  'paused',
] as const;

export const MESSAGE: FieldTable = {
  _id: required('string'),
  message: optional('string'),
  device: required({
    _id: required('string'),
    enabled: required('boolean'),
    name: optional('string'),
    brand: required('string'),
    model: required('string'),
    buildId: required('string'),
    deletedAt: optional('date-time'),
  }),
  type: required(['SENT', 'RECEIVED']),
  direction: required(['sent', 'received']),
  status: optional(['pending', 'dispatched', 'sent', 'delivered', 'failed', 'unknown', 'received']),
  sender: optional('string'),
  recipient: optional('string'),
  smsBatch: optional('string'),
  encrypted: optional('boolean'),
  simSubscriptionId: optional('number'),
  receivedAt: optional('date-time'),
  requestedAt: optional('date-time'),
  dispatchDueAt: optional('date-time'),
  dispatchedAt: optional('date-time'),
  dispatchAttempts: optional('number'),
  pushReceivedAt: optional('date-time'),
  sendAttemptedAt: optional('date-time'),
  sentAt: optional('date-time'),
  deliveredAt: optional('date-time'),
  failedAt: optional('date-time'),
  errorCode: optional('string'),
  errorMessage: optional('string'),
  isLoopTest: optional('boolean'),
  overLimit: optional('boolean'),
  originalCreatedAt: optional('date-time'),
  createdAt: required('date-time'),
  updatedAt: required('date-time'),
  channel: optional(['sms']),
  truncated: optional('boolean'),
  laterReports: optionalList({
    status: required(['sent', 'delivered', 'failed', 'delivery_failed']),
    at: required('date-time'),
    errorCode: optional('string'),
  }),
  repairedFields: optionalList(['sender', 'message', 'receivedAt']),
  encryptedMessage: optional('string'),
  sim: optional('string'),
  pool: optional('string'),
  waitingFor: optional({ reason: required(WAIT_REASONS), until: optional('date-time') }),
  priority: optional(['normal', 'urgent']),
  validUntil: optional('date-time'),
  segments: optional('number'),
  encoding: optional(['GSM-7', 'UCS-2']),
};

export const SEND_BATCH: FieldTable = {
  _id: required('string'),
  user: required('string'),
  message: optional('string'),
  encrypted: optional('boolean'),
  encryptedMessage: optional('string'),
  recipientCount: required('number'),
  recipientPreview: optional('string'),
  successCount: required('number'),
  failureCount: required('number'),
  cancelledCount: required('number'),
  suppressedCount: required('number'),
  purpose: optional(['marketing', 'transactional', 'consent']),
  topic: optional('string'),
  messageTemplate: optional('string'),
  status: optional([
    'pending',
    'processing',
    'completed',
    'partial_success',
    'failed',
    'unknown',
    'sent',
    'delivered',
  ]),
  error: optional('string'),
  completedAt: optional('date-time'),
  createdAt: required('date-time'),
  updatedAt: required('date-time'),
};

const BATCH_PLAN: FieldTable = {
  devices: requiredList('string'),
  poolId: optional('string'),
  scheduledAt: optional('date-time'),
  estimatedCompletionAt: optional('date-time'),
  pausedAt: optional('date-time'),
  priority: optional(['normal', 'urgent']),
  validUntil: optional('date-time'),
  quietHours: optional({ from: required('string'), to: required('string') }),
};

/** A batch in the list of batches. */
export const LISTED_BATCH: FieldTable = {
  ...Object.fromEntries(
    Object.entries(SEND_BATCH).filter(
      ([field]) => !/^(success|failure|cancelled|suppressed)Count$|^(status|error|completedAt)$/.test(field),
    ),
  ),
  ...BATCH_PLAN,
};

const STATES: FieldTable = {
  pending: required('number'),
  dispatched: required('number'),
  sent: required('number'),
  delivered: required('number'),
  failed: required('number'),
  unknown: required('number'),
};

/** A batch without its messages. */
export const BATCH_SUMMARY: FieldTable = {
  ...SEND_BATCH,
  ...BATCH_PLAN,
  expectedCompletionAt: optional('date-time'),
  states: required(STATES),
  sims: requiredList({
    sim: required('string'),
    device: required('string'),
    messages: required('number'),
    ...STATES,
  }),
  heldBack: requiredList({
    reason: required('string'),
    count: required('number'),
    until: optional('date-time'),
  }),
};

/** The response to an accepted send. */
const SKIPPED: FieldTable = {
  entry: optional('number'),
  index: required('number'),
  value: required('string'),
  reason: required('string'),
};

export const SEND_RESULT: FieldTable = {
  success: required('boolean'),
  message: required('string'),
  smsBatchId: required('string'),
  recipientCount: required('number'),
  segments: optional('number'),
  parts: optional('number'),
  encoding: optional(['GSM-7', 'UCS-2']),
  cancelledCount: optional('number'), // only on a repeated send that was cancelled
  skippedCount: optional('number'),
  skippedRecipients: optionalList(SKIPPED),
  estimatedCompletionAt: optional('date-time'),
};

const SIM_SHARE: FieldTable = {
  sim: required('string'),
  messages: required('number'),
  until: required('date-time'),
};

const HELD_BACK: FieldTable = {
  reason: required('string'),
  count: required('number'),
  until: optional('date-time'),
};

export const ESTIMATE: FieldTable = {
  segments: optional('number'),
  encoding: optional(['GSM-7', 'UCS-2']),
  offendingCharacters: requiredList('string'),
  messages: required('number'),
  parts: required('number'),
  suppressed: required('number'),
  estimatedCompletionAt: optional('date-time'),
  sims: requiredList(SIM_SHARE),
  heldBack: requiredList(HELD_BACK),
  skippedCount: optional('number'),
  skippedRecipients: optionalList(SKIPPED),
};

export const PROBLEM: FieldTable = {
  code: required('string'),
  severity: required(['error', 'warning', 'info']),
  since: optional('date-time'),
  until: optional('date-time'),
  subject: required({
    type: required(['device', 'sim', 'webhook', 'pool', 'account', 'service']),
    id: optional('string'),
    name: required('string'),
  }),
  waitingMessages: optional('number'),
  text: required('string'),
  remedy: required('string'),
};

const QUEUE_COUNTS: FieldTable = {
  messages: required('number'),
  parts: required('number'),
  endsAt: optional('date-time'),
};

export const QUEUE: FieldTable = {
  ...QUEUE_COUNTS,
  isLowerBound: required('boolean'),
  sims: requiredList({
    ...QUEUE_COUNTS,
    device: required('string'),
    sim: optional('string'),
    heldBack: requiredList(HELD_BACK),
  }),
};

export const MONTH: FieldTable = {
  from: required('date-time'),
  resetsAt: required('date-time'),
  sent: required('number'),
  delivered: required('number'),
  failed: required('number'),
  cancelled: required('number'),
  suppressed: required('number'),
  received: required('number'),
  used: required('number'),
  left: required('number|null'),
};

export const CURSOR_META: FieldTable = {
  limit: required('number'),
  nextCursor: optional('string'), // string or null, which has a test of its own
  hasMore: required('boolean'),
};

export const PAGE_META: FieldTable = {
  ...CURSOR_META,
  page: required('number'),
  total: required('number'),
  totalPages: required('number'),
};

/** The paging of the lists of a device. */
export const DEVICE_PAGE_META: FieldTable = {
  page: required('number'),
  limit: required('number'),
  total: required('number'),
  totalPages: required('number'),
};

export const PENDING_SMS: FieldTable = {
  smsId: required('string'),
  smsBatchId: required('string'),
  message: required('string'),
  encrypted: optional('boolean'),
  encryptedMessage: optional('string'),
  recipients: requiredList('string'),
  simSubscriptionId: optional('number'),
  validUntil: optional('date-time'),
};

/** The only response without an envelope. */
export const HEARTBEAT_ANSWER: FieldTable = {
  success: required('boolean'),
  fcmTokenUpdated: required('boolean'),
  lastHeartbeat: required('number'),
  name: optional('string'),
  pendingCount: required('number'),
  config: required({ heartbeatEnabled: required('boolean'), heartbeatIntervalMinutes: required('number') }),
};

// Webhooks.

const WEBHOOK_EVENTS = [
  'MESSAGE_RECEIVED',
  'MESSAGE_SENT',
  'MESSAGE_DELIVERED',
  'MESSAGE_FAILED',
  'UNKNOWN_STATE',
  // Only for subscriptions that list them.
  'MESSAGE_UNCONFIRMED',
  'DEVICE_OFFLINE',
  'DEVICE_ONLINE',
  'SIM_UNHEALTHY',
  'SIM_LIMIT_REACHED',
  'SMS_STATUS_UPDATED',
];

export const WEBHOOK_SUBSCRIPTION: FieldTable = {
  _id: required('string'),
  user: required('string'),
  name: optional('string'),
  isActive: required('boolean'),
  events: requiredList(WEBHOOK_EVENTS),
  deliveryUrl: required('string'),
  signingSecret: required('string'),
  timeoutSeconds: required('number'),
  headers: optional('object'),
  deviceIds: optionalList('string'),
  poolIds: optionalList('string'),
  successfulDeliveryCount: required('number'),
  deliveryFailureCount: required('number'),
  deliveryAttemptCount: required('number'),
  lastDeliveryAttemptAt: optional('date-time'),
  lastDeliverySuccessAt: optional('date-time'),
  lastDeliveryFailureAt: optional('date-time'),
  notes: optionalList({ at: required('date-time'), text: required('string') }),
  createdAt: required('date-time'),
  updatedAt: required('date-time'),
};

export const WEBHOOK_DELIVERY: FieldTable = {
  _id: required('string'),
  webhookSubscription: required('string'),
  // The last one, which is reserved, is never delivered.
  event: required(WEBHOOK_EVENTS.slice(0, -1)),
  payload: required('object'),
  computedStatus: required(['pending', 'retrying', 'delivered', 'failed']),
  deliveryUrl: optional('string'),
  deliveryAttemptCount: required('number'),
  deliveredAt: optional('date-time'),
  lastDeliveryAttemptAt: optional('date-time'),
  lastAttemptDurationMs: optional('number'),
  nextDeliveryAttemptAt: optional('date-time'),
  deliveryAttemptAbortedAt: optional('date-time'),
  errorType: optional(['retryable', 'non-retryable']),
  httpStatusCode: optional('number'),
  responseBody: optional('string'),
  idempotencyKey: optional('string'),
  createdAt: required('date-time'),
  deviceData: optional({
    _id: required('string'),
    brand: required('string'),
    model: required('string'),
    name: optional('string'),
  }),
  // Absent for events of devices and SIMs.
  smsData: optional({
    _id: required('string'),
    sender: optional('string'),
    recipient: optional('string'),
    smsBatch: optional('string'),
    status: optional('string'),
  }),
};

export const HISTORY_META: FieldTable = {
  page: required('number'),
  limit: required('number'),
  total: required('number'),
  totalPages: required('number'),
};

export const SUCCESS: FieldTable = { success: required('boolean') };

/** The envelope of an event without a message. */
const operational = (event: string): FieldTable => ({
  deviceId: optional('string'), // absent if the phone of a SIM was deleted
  webhookSubscriptionId: required('string'),
  webhookEvent: required([event]),
  idempotencyKey: required('string'),
});

const envelope = (event: string): FieldTable => ({
  smsId: required('string'),
  message: required('string'),
  ...operational(event),
  deviceId: required('string'),
});

const deviceEvent = (event: string): FieldTable => ({
  ...operational(event),
  name: optional('string'),
  brand: required('string'),
  model: required('string'),
  state: required(['online', 'unresponsive', 'offline']),
  since: required('date-time'),
  lastContactAt: optional('date-time'),
  pendingCount: required('number'),
});

const simEvent = (event: string): FieldTable => ({
  ...operational(event),
  simId: required('string'),
  label: optional('string'),
  phoneNumber: optional('string'),
  carrierName: optional('string'),
  subscriptionId: optional('number'),
});

const ENCRYPTION: FieldTable = {
  encrypted: optional('boolean'),
  encryptedMessage: optional('string'),
};

const outgoing = (event: string, status: FieldTable[string]): FieldTable => ({
  ...envelope(event),
  ...ENCRYPTION,
  smsBatchId: required('string'),
  status,
  recipient: required('string'),
});

/** The payload of each event. */
export const EVENT_PAYLOADS: Readonly<Record<string, FieldTable>> = {
  MESSAGE_RECEIVED: {
    ...envelope('MESSAGE_RECEIVED'),
    ...ENCRYPTION,
    sender: required('string'),
    receivedAt: required('date-time'),
    truncated: optional('boolean'),
  },
  MESSAGE_SENT: { ...outgoing('MESSAGE_SENT', required(['sent'])), sentAt: required('date-time') },
  MESSAGE_DELIVERED: {
    ...outgoing('MESSAGE_DELIVERED', required(['delivered'])),
    sentAt: required('date-time'),
    deliveredAt: required('date-time'),
  },
  MESSAGE_FAILED: {
    ...outgoing('MESSAGE_FAILED', required(['failed'])),
    errorCode: required('string'),
    errorMessage: required('string'),
    failedAt: required('date-time'),
  },
  UNKNOWN_STATE: outgoing('UNKNOWN_STATE', required('string')),
  MESSAGE_UNCONFIRMED: {
    ...outgoing('MESSAGE_UNCONFIRMED', required(['unknown'])),
    reason: required(['NO_REPORT', 'DEVICE_DELETED', 'DEVICE_REPLACED', 'DEVICE_DISABLED']),
    dispatchedAt: required('date-time'),
  },
  DEVICE_OFFLINE: deviceEvent('DEVICE_OFFLINE'),
  DEVICE_ONLINE: deviceEvent('DEVICE_ONLINE'),
  SIM_UNHEALTHY: {
    ...simEvent('SIM_UNHEALTHY'),
    state: required(['closed', 'open', 'half-open']),
    kind: required(['failures', 'silence']),
    since: required('date-time'),
    failureRate: required('number'),
  },
  SIM_LIMIT_REACHED: {
    ...simEvent('SIM_LIMIT_REACHED'),
    limit: required(['messagesPerHour', 'messagesPerDay', 'messagesPerMonth', 'recipientsPerMonth']),
    value: required('number'),
    resetsAt: required('date-time'),
  },
  SMS_STATUS_UPDATED: envelope('SMS_STATUS_UPDATED'),
};

export const WEBHOOK_DELIVERY_DETAIL: FieldTable = {
  ...WEBHOOK_DELIVERY,
  attempts: requiredList({
    at: required('date-time'),
    durationMs: required('number'),
    httpStatusCode: optional('number'),
    error: optional('string'),
  }),
};

export const WEBHOOK_SAMPLE: FieldTable = {
  delivered: required('boolean'),
  payload: required('object'),
  durationMs: required('number'),
  httpStatusCode: optional('number'),
  responseBody: optional('string'),
  error: optional('string'),
};

export const DRAIN: FieldTable = {
  drainingSince: required('date-time'),
  remainingCount: required('number'),
  unreportedCount: required('number'),
  handedOverCount: required('number'),
};

export const REPLACEMENT: FieldTable = {
  movedCount: required('number'),
  unconfirmedCount: required('number'),
  isComplete: required('boolean'),
};

export const CHECKUP: FieldTable = {
  at: required('date-time'),
  state: required(['ok', 'warning', 'error']),
  checks: requiredList({
    code: required([...CHECK_CODES]),
    state: required([...CHECK_STATES]),
    finding: required([...FINDING_CODES]),
    since: optional('date-time'),
    facts: required({ minutes: optional('number'), version: optional('string') }),
    text: required('string'),
    remedy: optional('string'),
  }),
};

export const MOVE: FieldTable = {
  movedCount: required('number'),
  isComplete: required('boolean'),
  refused: requiredList({
    id: required('string'),
    code: required([...MOVE_REFUSALS]),
    message: required('string'),
  }),
};

const STEP_FACTS: FieldTable = {
  phone: optional('string'),
  otherPhone: optional('string'),
  sim: optional('string'),
  simNetwork: optional('string'),
  simSlot: optional('number'),
  simSubscriptionId: optional('number'),
  pool: optional('string'),
  ofPool: optional('boolean'),
  batch: optional('string'),
  recipients: optional('number'),
  priority: optional('string'),
  messages: optional('number'),
  transport: optional('string'),
  attempts: optional('number'),
  reason: optional('string'),
  code: optional('string'),
  reported: optional('string'),
  source: optional('string'),
  words: optional('string'),
  saidAt: optional('date-time'),
  status: optional('string'),
  contradicted: optional('boolean'),
  confirmed: optional('boolean'),
  parts: optional('number'),
  since: optional('date-time'),
  until: optional('date-time'),
  dueAt: optional('date-time'),
  sender: optional('string'),
  field: optional('string'),
  webhook: optional('string'),
  host: optional('string'),
  webhooks: optional('string'),
  more: optional('number'),
  event: optional('string'),
  httpStatus: optional('number'),
  setAside: optional('boolean'),
};

export const EXPLANATION: FieldTable = {
  steps: requiredList({
    at: required('date-time'),
    code: required('string'),
    text: required('string'),
    facts: required(STEP_FACTS),
    deliveryId: optional('string'),
  }),
};
