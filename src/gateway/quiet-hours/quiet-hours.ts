import { LRUCache } from 'lru-cache';
import { DAY_MS, MINUTE_MS } from '../../common/durations';
import { isTimeZone } from '../../devices/sims/limits/calendar';
import type { QuietHours } from '../../messages/batch.schema';
import { zonesOfNumber } from './number-zones';

export const TIME_OF_DAY = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const MINUTES_PER_DAY = 24 * 60;
const QUARTER_HOUR_MS = 15 * MINUTE_MS;

/** One takes half a millisecond to make, and 60 kB. */
const clocks = new LRUCache<string, Intl.DateTimeFormat>({
  max: 50,
  memoMethod: (timeZone) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
});

/**
 * The first time from `time` on that is outside of the quiet hours of a recipient: in all zones in which its number may be.
 * If they leave no time of the day, as with a number that may be anywhere from Guam to Newfoundland, only `fallbackZone`
 * counts.
 * @param number in E.164; any other text has no zone of its own.
 * @param fallbackZone IANA name, for numbers without a known zone. UTC if it is absent or unknown.
 */
export function afterQuietHours(
  hours: QuietHours,
  number: string,
  fallbackZone: string | undefined,
  time: Date,
): Date {
  const zones = zonesOfNumber(number);
  const fallback = fallbackZones(fallbackZone);
  return (zones && afterQuietHoursIn(zones, hours, time)) ?? afterQuietHoursIn(fallback, hours, time) ?? time;
}

const fallbackZones = (zone: string | undefined) => [zone !== undefined && isTimeZone(zone) ? zone : 'UTC'];

/**
 * When the quiet hours of a recipient began that end at `end`; in several zones, those that end last.
 * @param end from `afterQuietHours`, for the same number and zone.
 */
export function quietHoursStart(
  { from, to }: QuietHours,
  number: string,
  fallbackZone: string | undefined,
  end: Date,
): Date {
  const endsIn = (zone: string) => minuteInZone(zone, end.getTime()) === minuteOf(to);
  const fallback = fallbackZones(fallbackZone);
  const zone = [...(zonesOfNumber(number) ?? []), ...fallback].find(endsIn) ?? fallback[0] ?? 'UTC';
  const length = (minuteOf(to) - minuteOf(from) + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const start = end.getTime() - length * MINUTE_MS;
  // Not 0 if the clock was changed in between.
  const early = (minuteOf(from) - minuteInZone(zone, start) + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const correction = early > MINUTES_PER_DAY / 2 ? early - MINUTES_PER_DAY : early;
  return new Date(start + correction * MINUTE_MS);
}

/**
 * The first time from `time` on that is outside of the quiet hours in each of these zones.
 * @returns undefined if there is none within two days.
 */
export function afterQuietHoursIn(
  zones: readonly string[],
  { from, to }: QuietHours,
  time: Date,
): Date | undefined {
  const window = { from: minuteOf(from), to: minuteOf(to) };
  const limit = time.getTime() + 2 * DAY_MS;
  for (let current = time.getTime(); current <= limit;) {
    const end = Math.max(...zones.map((zone) => endInZone(zone, window, current)));
    if (end === current) return new Date(end);
    current = end;
  }
  return undefined;
}

/** In minutes since midnight. */
interface Window {
  readonly from: number;
  readonly to: number;
}

/** The first time from `time` on that is outside of the window in one zone. Times are in milliseconds since 1970. */
function endInZone(zone: string, window: Window, time: number): number {
  const minute = minuteInZone(zone, time);
  if (!contains(window, minute)) return time;
  const minutesLeft = (window.to - minute + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  const end = time - (time % MINUTE_MS) + minutesLeft * MINUTE_MS;
  if (minuteInZone(zone, end) === window.to) return end;
  // The clock is changed before then. Clocks are changed on the quarter hours of UTC.
  return endInZone(zone, window, time - (time % QUARTER_HOUR_MS) + QUARTER_HOUR_MS);
}

const contains = ({ from, to }: Window, minute: number) =>
  from <= to ? from <= minute && minute < to : from <= minute || minute < to;

/** The minute of the day on the clock of a zone. */
const minuteInZone = (zone: string, time: number) => minuteOf(clocks.memo(zone).format(time));

const minuteOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
