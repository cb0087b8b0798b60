/** The codes of messages that no phone was handed, or that it has confirmed not to send: they count as not sent, and are refunded. */
export const UNSENT_CODES = ['EXPIRED', 'PHONE_UNREACHABLE', 'SUPPRESSED'] as const;
export type UnsentCode = (typeof UNSENT_CODES)[number];

/** Those, and that of messages that their owner cancelled. */
export type WithdrawnCode = 'CANCELLED' | UnsentCode;

/** The codes of messages that failed although nothing went wrong: they are not the error of their batch. */
export const UNCOUNTED_CODES = ['CANCELLED', 'SUPPRESSED'] as const;
export type UncountedCode = (typeof UNCOUNTED_CODES)[number];

export const isUncounted = (code: string | undefined): code is UncountedCode =>
  UNCOUNTED_CODES.some((each) => each === code);
