import { FieldTable, optional, required, requiredList } from './field-table';

// The field tables of the specification, written down by hand: neither the code nor the document is asked.

export const ACCOUNT_TOTALS: FieldTable = {
  totalSentSMSCount: required('number'),
  totalReceivedSMSCount: required('number'),
  totalDeviceCount: required('number'),
  totalApiKeyCount: required('number'),
};

const SIM: FieldTable = {
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

const LAST_UPDATED: FieldTable = { lastUpdated: optional('date-time') };

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
  simInfo: optional({ lastUpdated: required('date-time'), sims: requiredList(SIM) }),
  createdAt: required('date-time'),
  updatedAt: required('date-time'),
};

/** A message; type and direction stand on every one here, although the specification asks for them on lists only. */
export const MESSAGE: FieldTable = {
  _id: required('string'),
  message: optional('string'),
  device: required({
    _id: required('string'),
    enabled: required('boolean'),
    brand: required('string'),
    model: required('string'),
    buildId: required('string'),
  }),
  type: required(['SENT', 'RECEIVED']),
  direction: required(['sent', 'received']),
  // May be null by the specification; this service leaves it out instead.
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
  overLimit: optional('boolean'),
  originalCreatedAt: optional('date-time'),
  createdAt: required('date-time'),
  updatedAt: required('date-time'),
  channel: optional(['sms']),
};

export const SEND_BATCH: FieldTable = {
  _id: required('string'),
  user: required('string'),
  message: optional('string'),
  encrypted: optional('boolean'),
  recipientCount: required('number'),
  recipientPreview: optional('string'),
  successCount: required('number'),
  failureCount: required('number'),
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

/** The queued shape; the fields of an instance that dispatches at once are never answered here. */
export const SEND_RESULT: FieldTable = {
  success: required('boolean'),
  message: required('string'),
  smsBatchId: required('string'),
  recipientCount: required('number'),
  estimatedCompletionAt: optional('date-time'),
};

export const CURSOR_META: FieldTable = {
  limit: required('number'),
  nextCursor: optional('string'), // string or null: a test of its own
  hasMore: required('boolean'),
};

export const PAGE_META: FieldTable = {
  ...CURSOR_META,
  page: required('number'),
  total: required('number'),
  totalPages: required('number'),
};

// From here on not of the specification but of the phones in the field.

/** Where a device's own list stands. */
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
  recipients: requiredList('string'),
  simSubscriptionId: optional('number'),
};

/** The one answer that is read without an envelope. */
export const HEARTBEAT_ANSWER: FieldTable = {
  success: required('boolean'),
  fcmTokenUpdated: required('boolean'),
  lastHeartbeat: required('number'),
  name: optional('string'),
  pendingCount: required('number'),
  config: required({ heartbeatEnabled: required('boolean'), heartbeatIntervalMinutes: required('number') }),
};
