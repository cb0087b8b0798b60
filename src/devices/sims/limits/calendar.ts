import { LRUCache } from 'lru-cache';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../common/durations';

/** The periods in which a SIM's messages are counted, shortest first. */
export const PERIODS = ['hour', 'day', 'month'] as const;
export type Period = (typeof PERIODS)[number];

/** In milliseconds since 1970; `end` belongs to the next period. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Longer than any period with its daylight saving changes, such as the day that Samoa left out. */
const MAX_LENGTH_S: Record<Period, number> = {
  hour: (3 * HOUR_MS) / SECOND_MS,
  day: (2 * DAY_MS + 2 * HOUR_MS) / SECOND_MS,
  month: (33 * DAY_MS) / SECOND_MS,
};

const MAX_CALENDARS = 1_000;

/** Hours, days and months on the clock of a time zone. An hour that the clock shows twice counts once. */
export class Calendar {
  private readonly known = new Map<Period, Span>();
  private readonly clock: Intl.DateTimeFormat;

  /**
   * @param monthStartsOn day of the month, 1 to 31; the last day of a shorter month.
   * @throws RangeError for an unknown time zone.
   */
  constructor(
    timeZone: string,
    private readonly monthStartsOn: number,
  ) {
    this.clock = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
    });
  }

  /** The period that a time is in. @param time in milliseconds since 1970. */
  spanOf(period: Period, time: number): Span {
    const known = this.known.get(period);
    if (known && known.start <= time && time < known.end) return known;
    const second = Math.floor(time / SECOND_MS);
    const number = this.numberOf(period, second);
    const length = MAX_LENGTH_S[period];
    const span = {
      start:
        firstSecond(second - length, second, (each) => this.numberOf(period, each) >= number) * SECOND_MS,
      end: firstSecond(second, second + length, (each) => this.numberOf(period, each) > number) * SECOND_MS,
    };
    this.known.set(period, span);
    return span;
  }

  /** The number of a period, higher for later ones. */
  private numberOf(period: Period, second: number): number {
    const { year = 0, month = 0, day = 0, hour = 0 } = this.fieldsAt(second);
    if (period === 'hour') return ((year * 12 + month) * 31 + day) * 24 + hour;
    if (period === 'day') return (year * 12 + month) * 31 + day;
    const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
    return year * 12 + month - (day < Math.min(this.monthStartsOn, lastDay) ? 1 : 0);
  }

  private fieldsAt(second: number): Partial<Record<Intl.DateTimeFormatPartTypes, number>> {
    const parts = this.clock.formatToParts(second * SECOND_MS);
    return Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]));
  }
}

const calendars = new LRUCache<string, Calendar>({ max: MAX_CALENDARS });

/** A shared calendar, because a new one takes about a millisecond. */
export function calendarOf(timeZone = 'UTC', monthStartsOn = 1): Calendar {
  const key = `${timeZone} ${monthStartsOn}`;
  const calendar = calendars.get(key) ?? new Calendar(timeZone, monthStartsOn);
  calendars.set(key, calendar);
  return calendar;
}

export function isTimeZone(name: string): boolean {
  try {
    calendarOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The first second after `low` for which a condition holds that holds from some second on, up to `high`. */
function firstSecond(low: number, high: number, holds: (second: number) => boolean): number {
  let [before, from] = [low, high];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    if (holds(middle)) from = middle;
    else before = middle;
  }
  return from;
}
