/**
 * Lists in ascending order end this long before now, so that a poller never passes a time at which a message can still appear.
 * As long as a prompt write, with clocks of processes a second apart.
 */
export const LIST_HORIZON_MS = 3_000;

/** After a write that takes longer, its messages get a new `createdAt`: an update of each, which a busy database must not get for nothing. */
export const PROMPT_WRITE_MS = 2_000;

/** The time at which a list in ascending order ends. */
export const listHorizon = (now: Date): Date => new Date(now.getTime() - LIST_HORIZON_MS);
