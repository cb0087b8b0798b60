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

/** Days that are looked at together; no zone changes its offset and changes it back within a week. */
const STEPS = [7, 1];

const MAX_CALENDARS = 1_000;

/** Hours, days and months on the clock of a time zone. An hour that the clock shows twice counts once. */
export class Calendar {
  private readonly known = new Map<Period, Span>();
  private readonly clock: Intl.DateTimeFormat;
  private readonly isUtc: boolean;

  /**
   * @param monthStartsOn day of the month, 1 to 31; the last day of a shorter month.
   * @throws RangeError for an unknown time zone.
   */
  constructor(
    timeZone: string,
    private readonly monthStartsOn: number,
  ) {
    this.isUtc = timeZone === 'UTC';
    this.clock = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** The period that a time is in. @param time in milliseconds since 1970. */
  spanOf(period: Period, time: number): Span {
    const known = this.known.get(period);
    if (known && known.start <= time && time < known.end) return known;
    const second = Math.floor(time / SECOND_MS);
    const wall = this.wallAt(second);
    const number = this.numberOf(period, wall);
    const length = MAX_LENGTH_S[period];
    const [start, end] = this.wallSpanOf(period, wall);
    const boundary = (guess: number, low: number, high: number, minimum: number) => {
      const holds = (each: number) => this.numberOf(period, this.wallAt(each)) >= minimum;
      return (this.confirm(guess, second, holds) ?? firstSecond(low, high, holds)) * SECOND_MS;
    };
    const span = {
      start: boundary(start, second - length, second, number),
      end: boundary(end, second, second + length, number + 1),
    };
    this.known.set(period, span);
    return span;
  }

  /** The first second of a day. @param date such as 2026-01-31. @returns milliseconds since 1970. */
  startOfDate(date: string): number {
    const [year = 0, month = 0, day = 0] = date.split('-').map(Number);
    const midnight = Date.UTC(year, month - 1, day) / SECOND_MS;
    const number = this.numberOf('day', midnight);
    const isReached = (second: number) => this.numberOf('day', this.wallAt(second)) >= number;
    return firstSecond(midnight - MAX_LENGTH_S.day, midnight + MAX_LENGTH_S.day, isReached) * SECOND_MS;
  }

  /**
   * The starts of all days that overlap a span, and the end of the last one, ascending.
   * @param from in milliseconds since 1970, as `to`, which is exclusive.
   */
  daysIn(from: number, to: number): number[] {
    const bounds = [this.spanOf('day', from).start];
    for (let start = bounds[0] ?? to; start < to; start = bounds.at(-1) ?? to) {
      const count = STEPS.find((days) => this.haveUsualLength(start, days));
      const ends = count === undefined ? [this.spanOf('day', start).end] : endsOfDays(start, count);
      bounds.push(...ends.filter((_, index) => index === 0 || (ends[index - 1] ?? to) < to));
    }
    return bounds;
  }

  /** Whether so many days from the start of one have 24 hours each, unless they differ in two ways that cancel out. */
  private haveUsualLength(start: number, days: number): boolean {
    const numberAt = (time: number) => this.numberOf('day', this.wallAt(time / SECOND_MS));
    const [end, number] = [start + days * DAY_MS, numberAt(start)];
    return numberAt(end) === number + days && numberAt(end - SECOND_MS) === number + days - 1;
  }

  /**
   * The second at which the clock shows a time, if a condition holds from it on. Most periods begin when the clock shows a
   * whole hour, which needs few of its readings.
   * @param wall as of `wallAt`.
   * @param near a second whose distance from UTC is tried first.
   */
  private confirm(wall: number, near: number, holds: (second: number) => boolean): number | undefined {
    for (let known = near, tries = 0; tries < 2; tries++) {
      const guess = wall - (this.wallAt(known) - known);
      if (holds(guess) && !holds(guess - 1)) return guess;
      known = guess;
    }
    return undefined;
  }

  /** What the clock shows at the start and at the end of a period. */
  private wallSpanOf(period: Period, wall: number): [number, number] {
    if (period !== 'month') {
      const length = (period === 'hour' ? HOUR_MS : DAY_MS) / SECOND_MS;
      const start = Math.floor(wall / length) * length;
      return [start, start + length];
    }
    const number = this.numberOf(period, wall);
    return [this.monthStart(number), this.monthStart(number + 1)];
  }

  /** The number of a period, one higher for each later one. */
  private numberOf(period: Period, wall: number): number {
    if (period === 'hour') return Math.floor((wall * SECOND_MS) / HOUR_MS);
    if (period === 'day') return Math.floor((wall * SECOND_MS) / DAY_MS);
    const date = new Date(wall * SECOND_MS);
    const month = date.getUTCFullYear() * 12 + date.getUTCMonth();
    return wall < this.monthStart(month) ? month - 1 : month;
  }

  /** What the clock shows at the start of a month. @param month as of `numberOf`. */
  private monthStart(month: number): number {
    const [year, index] = [Math.floor(month / 12), month % 12];
    const lastDay = new Date(Date.UTC(year, index + 1, 0)).getUTCDate();
    return Date.UTC(year, index, Math.min(this.monthStartsOn, lastDay)) / SECOND_MS;
  }

  /** What the clock shows, as the seconds since 1970 at which a clock in UTC does. */
  private wallAt(second: number): number {
    if (this.isUtc) return second;
    const [month = 1, day = 1, year = 0, hour = 0, minute = 0, rest = 0] = this.clock
      .format(second * SECOND_MS)
      .split(/\D+/)
      .map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, rest) / SECOND_MS;
  }
}

const endsOfDays = (start: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => start + (index + 1) * DAY_MS);

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
