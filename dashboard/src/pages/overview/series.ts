import type { SeriesPointResponse as ApiPoint } from '../../../generated';

/** What a chart shows: 24 hours, or 30 days. */
export const SPANS = ['day', 'month'] as const;
export type Span = (typeof SPANS)[number];

export const KINDS = ['sent', 'delivered', 'failed', 'cancelled', 'suppressed', 'received'] as const;
export type Kind = (typeof KINDS)[number];
export type Counts = Readonly<Record<Kind, number>>;

/** The kinds that are shown: cancelled and suppressed messages only if there are any. */
export const shownKinds = (counts: Counts): Kind[] =>
  KINDS.filter((kind) => (kind !== 'cancelled' && kind !== 'suppressed') || counts[kind] > 0);

export type Point = Counts & {
  /** Start, or the first known hour of the day. */
  readonly at: string;
};

const HOUR_MS = 3_600_000;
const DAYS = 30;

/** The days of a zone are made of hours, because the days of the API are those of UTC. One of them may have 25. */
export function queryOf(span: Span, now: number) {
  const to = Math.ceil(now / HOUR_MS) * HOUR_MS;
  const hours = span === 'day' ? 24 : DAYS * 24 + 2;
  return {
    from: new Date(to - hours * HOUR_MS).toISOString(),
    to: new Date(to).toISOString(),
    bucket: 'hour' as const,
  };
}

/** The points of a chart, oldest first: hours, or the days of a time zone, of which the last is today. */
export function pointsOf(hours: readonly ApiPoint[], span: Span, timeZone: string): Point[] {
  if (span === 'day') return [...hours];
  const dayOf = new Intl.DateTimeFormat('en', { timeZone, dateStyle: 'short' });
  const days = new Map<string, Point>();
  for (const hour of hours) {
    const day = dayOf.format(new Date(hour.at));
    const known = days.get(day);
    days.set(day, known ? { ...add(known, hour), at: known.at } : hour);
  }
  return [...days.values()].slice(-DAYS);
}

export const sumOf = (points: readonly Point[]): Counts =>
  points.reduce<Counts>(add, { sent: 0, delivered: 0, failed: 0, cancelled: 0, suppressed: 0, received: 0 });

const add = (one: Counts, other: Counts): Counts => ({
  sent: one.sent + other.sent,
  delivered: one.delivered + other.delivered,
  failed: one.failed + other.failed,
  cancelled: one.cancelled + other.cancelled,
  suppressed: one.suppressed + other.suppressed,
  received: one.received + other.received,
});
