/** The values that the sentences of a step are made from. Times are in ISO 8601. */
export interface StepFacts {
  /** Name of the phone; absent if it is not known. */
  readonly phone?: string;
  /** Another phone that was handed it. */
  readonly otherPhone?: string;
  /** Label or number of the SIM. */
  readonly sim?: string;
  /** Network of a SIM without a label and number. */
  readonly simNetwork?: string;
  /** Slot of a SIM without a label and number, from 1. */
  readonly simSlot?: number;
  readonly simSubscriptionId?: number;
  readonly pool?: string;
  /** Whether a pool chooses the SIM. */
  readonly ofPool?: boolean;
  readonly batch?: string;
  readonly recipients?: number;
  readonly priority?: string;
  /** How many messages leave at the pace of the phone. */
  readonly messages?: number;
  readonly transport?: string;
  readonly attempts?: number;
  /** Why: of a wait, of a choice, or of a missing report. */
  readonly reason?: string;
  /** Error code. */
  readonly code?: string;
  /** What the phone itself said. */
  readonly reported?: string;
  /** Who decided that the recipient is blocked: `keyword`, `web` or `api`. */
  readonly source?: string;
  /** What the recipient wrote. */
  readonly words?: string;
  /** When the recipient wrote it, or the owner decided. */
  readonly saidAt?: string;
  /** Status of the message, or the one that the phone reported. */
  readonly status?: string;
  /** Whether the phone contradicted it afterwards. */
  readonly contradicted?: boolean;
  /** Whether the phone confirmed. */
  readonly confirmed?: boolean;
  /** SMS parts of the text. */
  readonly parts?: number;
  readonly since?: string;
  readonly until?: string;
  /** When it, or the next attempt, is due; absent if that is now. */
  readonly dueAt?: string;
  readonly sender?: string;
  /** The field that could not be read. */
  readonly field?: string;
  readonly webhook?: string;
  readonly host?: string;
  /** Names of several webhooks. */
  readonly webhooks?: string;
  /** How many more there are. */
  readonly more?: number;
  readonly event?: string;
  readonly httpStatus?: number;
  /** Whether relaying failed repeatedly. */
  readonly setAside?: boolean;
}
