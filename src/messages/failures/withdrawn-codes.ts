/** The codes of messages that no phone was handed in time: they count as not sent, and are refunded. */
export const UNSENT_CODES = ['EXPIRED', 'PHONE_UNREACHABLE'] as const;
export type UnsentCode = (typeof UNSENT_CODES)[number];

/** Those, and that of messages that their owner cancelled. */
export const WITHDRAWN_CODES = ['CANCELLED', ...UNSENT_CODES] as const;
export type WithdrawnCode = (typeof WITHDRAWN_CODES)[number];
