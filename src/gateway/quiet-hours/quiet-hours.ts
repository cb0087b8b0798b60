import { LRUCache } from 'lru-cache';
import { DAY_MS, MINUTE_MS } from '../../common/durations';
import { zonesOfNumber } from './number-zones';

/** A daily window on the recipient's clock, "HH:MM"; over midnight if `to` is before `from`, empty if they are equal. */
export interface QuietHours {
  readonly from: string;
  /** The first minute in which messages may leave again. */
  readonly to: string;
}

export const TIME_OF_DAY = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const MINUTES_PER_DAY = 24 * 60;
const QUARTER_HOUR_MS = 15 * MINUTE_MS;

/** One takes half a millisecond to make, and 60 kB. */
const clocks = new LRUCache<string, Intl.DateTimeFormat>({ max: 50 });

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
  const fallback = [fallbackZone !== undefined && isTimeZone(fallbackZone) ? fallbackZone : 'UTC'];
  return (zones && afterQuietHoursIn(zones, hours, time)) ?? afterQuietHoursIn(fallback, hours, time) ?? time;
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
function minuteInZone(zone: string, time: number): number {
  const clock =
    clocks.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  clocks.set(zone, clock);
  return minuteOf(clock.format(time));
}

const minuteOf = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));

function isTimeZone(name: string): boolean {
  try {
    minuteInZone(name, 0);
    return true;
  } catch {
    return false;
  }
}
