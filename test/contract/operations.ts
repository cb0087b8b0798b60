// The operations by the contract test that covers them.

export const READS = [
  'getStats',
  'listDevices',
  'getDevice',
  'listMessages',
  'exportMessages',
  'getMessage',
  'getAccountMessage',
  'getBatch',
  'openEvents',
];

export const SENDS = [
  'sendSms',
  'sendBulkSms',
  'sendSmsFromDevice',
  'sendSmsFromDeviceAlias',
  'sendBulkSmsFromDevice',
];

export const ESTIMATES = ['estimateSend'];

export const DEVICES = [
  'registerDevice',
  'updateDevice',
  'setDefaultDevice',
  'deleteDevice',
  'replaceDevice',
  'cancelBatch',
  'cancelMessage',
  'moveMessages',
  'deleteMessage',
  'explainMessage',
  'checkUpDevice',
  'drainDevice',
  'endDrain',
  'getSeries',
];

export const OVERVIEW = ['listProblems', 'getQueue', 'getMonth'];

export const BATCHES = [
  'listBatches',
  'getAccountBatch',
  'rescheduleBatch',
  'pauseBatch',
  'resumeBatch',
  'cancelAccountBatch',
];

export const SIMS = ['listSims', 'getSim', 'updateSim'];

export const POOLS = ['listPools', 'createPool', 'getPool', 'updatePool', 'deletePool', 'simulatePool'];

export const LOOP_TESTS = ['getLoopTest', 'setLoopTest', 'runLoopTest'];

export const CONSENTS = [
  'getConsentSettings',
  'updateConsentSettings',
  'listSuppressions',
  'blockNumber',
  'liftSuppression',
  'listOptOutCandidates',
  'suppressOptOutCandidates',
  'checkSuppressions',
  'listConsents',
];

export const CONVERSATIONS = [
  'listConversations',
  'getConversation',
  'updateConversation',
  'markConversationRead',
];

export const VIEWS = ['listViews', 'createView', 'updateView', 'deleteView'];

export const PHONES = [
  'sendHeartbeat',
  'receiveSms',
  'receiveSmsAlias',
  'reportSmsStatus',
  'acknowledgeMessages',
  'confirmCancelledMessages',
  'openStream',
  'listDeviceMessages',
  'listPendingMessages',
  'listReceivedMessages',
  'listReceivedMessagesAlias',
];

export const PAIRING = ['createPairingCode', 'getPairingCode', 'redeemPairingCode'];

export const ACCOUNT = [
  'registerAccount',
  'logIn',
  'signIn',
  'getSession',
  'listSessions',
  'revokeSession',
  'signOut',
  'signOutEverywhere',
  'logOut',
  'whoAmI',
  'updateProfile',
  'getNotices',
  'setNotices',
  'changePassword',
  'sendVerificationEmail',
  'verifyEmail',
  'requestPasswordReset',
  'resetPassword',
  'createApiKey',
  'listApiKeys',
  'revokeApiKey',
  'renameApiKey',
  'deleteApiKey',
  'deleteAccount',
  'exportAccount',
  'listPlans',
  'getCurrentSubscription',
];

export const WEBHOOKS = [
  'listWebhooks',
  'createWebhook',
  'getWebhook',
  'updateWebhook',
  'deleteWebhook',
  'testWebhook',
  'replayWebhook',
  'listWebhookNotifications',
  'getWebhookNotification',
  'redeliverWebhookNotification',
];

export const OPERATIONS = [
  'getOverview',
  'listAccounts',
  'listOperatorActions',
  'setAccountPlan',
  'disableAccount',
  'enableAccount',
];
