export const BREAKER_STATES = ['closed', 'open', 'half-open'] as const;
export type BreakerState = (typeof BREAKER_STATES)[number];

/** Why a breaker opened: messages fail, or are sent and no longer delivered. */
export const BLOCK_KINDS = ['failures', 'silence'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];
