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

/** The UTC day of a period; `to` is exclusive. */
export function spanOfDay({ day }: UsagePeriod): { from: Date; to: Date } {
  const from = new Date(day);
  return { from, to: new Date(from.getTime() + 86_400_000) };
}

/** The UTC month of a period; `to` is exclusive. */
export function spanOfMonth({ month }: UsagePeriod): { from: Date; to: Date } {
  const from = new Date(`${month}-01`);
  return { from, to: startOfNextMonth(from) };
}

export function isInMonth({ month }: Pick<UsagePeriod, 'month'>, time: Date): boolean {
  return periodOf(time).month === month;
}
