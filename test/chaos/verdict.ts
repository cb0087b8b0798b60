/** The findings of a run, one line each. */
export interface Verdict {
  /** Guaranteed effects that are missing. */
  readonly losses: readonly string[];
  /** Effects that happened more than once. */
  readonly duplicates: readonly string[];
  /** Messages of pools that moved to another phone although the one before may have sent them, or without an explanation. */
  readonly unproven: readonly string[];
  readonly otherErrors: readonly string[];
  /** Counters that differ from their records. */
  readonly drift: readonly string[];
  /** FCM messages with an unknown push result, which are never pushed again by design. */
  readonly inDoubt: readonly string[];
  /** Messages sent by two phones because the first corrected a false report too late, as documented. */
  readonly lateContradictions: readonly string[];
}
