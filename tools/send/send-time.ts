const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

const LOCAL = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2}))?$/;
const WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2})?(Z|[+-]\d{2}:\d{2})$/;

/**
 * The instant of `--at` in the time zone `--zone`. A time with an offset needs no zone.
 * @throws Error unless exactly one instant matches.
 */
export function readSendTime(at: string, zone: string | undefined): Date {
  const text = at.trim();
  if (WITH_OFFSET.test(text)) {
    if (zone !== undefined) throw new Error(`--at ${text} has an offset: remove --zone`);
    return asInstant(text.replace(' ', 'T'), at);
  }
  if (!LOCAL.test(text))
    throw new Error(`--at must be a time such as "2027-03-28 09:00", or 2027-03-28T09:00+02:00; it is ${at}`);
  if (zone === undefined)
    throw new Error(`--at ${text} has no zone: add one, such as --zone Europe/Berlin or --zone UTC`);
  const wallClock = asInstant(`${text.replace(' ', 'T')}Z`, at).getTime();
  const offsets = offsetsAround(wallClock, zone);
  const [first, second] = offsets.filter((offset) => offsetAt(wallClock - offset, zone) === offset);
  if (first === undefined) {
    throw new Error(`${text} does not exist in ${zone}: the clocks go forward. Use a time before or after`);
  }
  if (second !== undefined) {
    const meant = [first, second].map((offset) => `${text.replace(' ', 'T')}${asText(offset)}`);
    throw new Error(
      `${text} exists twice in ${zone}: the clocks go back. Use one of them, without --zone: --at ${meant.join(' or --at ')}`,
    );
  }
  return new Date(wallClock - first);
}

/** `Date` accepts February 30 as March 2. */
function asInstant(text: string, given: string): Date {
  const instant = new Date(text);
  const [day] = text.split('T');
  if (Number.isNaN(instant.getTime()) || new Date(`${day ?? ''}T00:00Z`).toISOString().slice(0, 10) !== day)
    throw new Error(`--at ${given} is not a valid time`);
  return instant;
}

function offsetsAround(time: number, zone: string): number[] {
  return [...new Set([offsetAt(time - DAY_MS, zone), offsetAt(time + DAY_MS, zone)])];
}

/** The offset of a zone from UTC in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const fields = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const;
  const options = Object.fromEntries(fields.map((field) => [field, 'numeric']));
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone, hourCycle: 'h23' });
  } catch {
    throw new Error(`--zone ${zone} is not an IANA time zone, such as Europe/Berlin`);
  }
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const [year = 0, month = 1, day, hour, minute, second] = fields.map((field) => parts.get(field) ?? 0);
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

function asText(offset: number): string {
  const minutes = Math.abs(offset) / MINUTE_MS;
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
}
