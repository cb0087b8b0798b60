/** The UTC calendar day and month that a message is charged to. */
export interface UsagePeriod {
  /** `2026-01-31` */
  readonly day: string;
  /** `2026-01` */
  readonly month: string;
}

export function periodOf(time: Date): UsagePeriod {
  const text = time.toISOString();
  return { day: text.slice(0, 10), month: text.slice(0, 7) };
}

const utcDate = (now: Date, months: number, day: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, day));

export const startOfNextDay = (now: Date): Date => utcDate(now, 0, now.getUTCDate() + 1);

export const startOfMonth = (now: Date): Date => utcDate(now, 0, 1);

export const startOfNextMonth = (now: Date): Date => utcDate(now, 1, 1);
