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

export function secondsToNextDay(now: Date): number {
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1);
  return Math.ceil((next - now.getTime()) / 1_000);
}

export function startOfMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
}

export function startOfNextMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1));
}

export function secondsToNextMonth(now: Date): number {
  return Math.ceil((startOfNextMonth(now).getTime() - now.getTime()) / 1_000);
}
