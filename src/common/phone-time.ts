import { DAY_MS } from './durations';

const MAX_CHARACTERS = 64;

/** Earlier times are those of a clock that was never set, or seconds where milliseconds belong. */
const EARLIEST = Date.UTC(2000, 0, 1);

/** How far the clock of a phone may be ahead, such as for a wrong time zone. */
const MAX_AHEAD_MS = DAY_MS;

/**
 * Reads a time as phones send it: milliseconds since 1970, also as a text, or ISO 8601.
 * @returns milliseconds since 1970, not necessarily within the range of `Date`; undefined if it is none.
 */
export function readPhoneTime(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > MAX_CHARACTERS || value.trim() === '') return undefined;
  const millis = Number(value);
  const time = Number.isNaN(millis) ? Date.parse(value) : millis;
  return Number.isFinite(time) ? time : undefined;
}

/**
 * The time that a phone reports, or undefined if it cannot be right: before the year 2000, or more than a day ahead of the
 * clock of the service.
 */
export function plausibleTime(millis: number | undefined, now: Date): Date | undefined {
  const isPlausible = millis !== undefined && millis >= EARLIEST && millis <= now.getTime() + MAX_AHEAD_MS;
  return isPlausible ? new Date(millis) : undefined;
}
