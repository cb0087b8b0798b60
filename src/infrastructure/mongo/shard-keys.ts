/** Fields of a shard key in order; documents are found by its first field, `user`. */
export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>;

/**
 * The collections that a sharded cluster distributes. Each filter of a query names the account, each inserted document has the
 * whole key, and no update changes it.
 */
export const SHARD_KEYS: Readonly<Record<string, ShardKey>> = {
  // Hashed, so that a large account is on all shards and its newest messages are not on one.
  messages: { user: 1, _id: 'hashed' },
  // The beginning of its unique index.
  webhookdeliveries: { user: 1, webhookSubscription: 1, message: 1 },
  // An account is on one shard: its unique indexes begin with the account and have nothing else in common with every filter.
  batches: { user: 1 },
  consents: { user: 1 },
  contacts: { user: 1 },
  conversations: { user: 1 },
  importrows: { user: 1 },
  suppressions: { user: 1 },
};

/** Unique indexes of earlier versions that MongoDB refuses beside the shard key. */
export const REPLACED_INDEXES: Readonly<Record<string, readonly string[]>> = {
  messages: ['user_1_device_1_fingerprint_1'],
};

const FEW = 'few documents for each account';
const UNIQUE = (field: string) => `\`${field}\` is unique across accounts`;
const LOCK = 'locks by `_id`, unique on one shard only';

/** The collections that stay on one shard, each with the reason. */
export const UNSHARDED: Readonly<Record<string, string>> = {
  accountnotices: FEW,
  accounts: UNIQUE('email'),
  apikeys: UNIQUE('hash'),
  autoreplies:
    'one small document for each number that was answered, claimed by due time with `findAndModify`',
  daycounts: 'one small document for each account and day',
  devices: UNIQUE('fcmToken'),
  devicetokens: UNIQUE('hash'),
  imports: FEW,
  installationsecrets: 'a handful',
  leases: LOCK,
  lists: FEW,
  looptests: FEW,
  migrations: 'a handful',
  notices: 'short-lived',
  onetimecodes: `short-lived; ${LOCK}`,
  operatoractions: 'of the operator, not of accounts',
  pairingcodes: UNIQUE('hash'),
  plans: 'a handful',
  pools: FEW,
  sessions: UNIQUE('hash'),
  signinlinks: `short-lived; ${LOCK}`,
  sims: `${FEW}, found by phone and due time`,
  simusages: FEW,
  totals: FEW,
  usages: 'one small document for each account, found by `_id`',
  views: FEW,
  webhooksubscriptions: FEW,
};
