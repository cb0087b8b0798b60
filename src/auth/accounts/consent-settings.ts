/** What a person who asks for no more messages no longer gets: messages of this topic, all but declared transactional ones, or everything. */
export const STOP_SCOPES = ['topic', 'undeclared', 'everything'] as const;
export type StopScope = (typeof STOP_SCOPES)[number];

/** What an account has set about the consent of the people that it writes to; absent fields have their default. */
export interface StoredConsentSettings {
  /** Whether texts are read and blocks are obeyed. Absent: no. */
  readonly enabled?: boolean;
  readonly stopCovers?: StopScope;
  readonly languages?: readonly string[];
  /** Keywords of its own by what they mean: `out`, `in` or `help`. */
  readonly keywords?: Readonly<Partial<Record<'out' | 'in' | 'help', readonly string[]>>>;
  readonly senderName?: string;
  readonly contact?: string;
  readonly confirmation?: boolean;
}

/** Accounts without settings were created before there were any, and were not asked yet. */
export const CONSENT_OF_NEW_ACCOUNTS: StoredConsentSettings = { enabled: true };
