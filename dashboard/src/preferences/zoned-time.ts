const MINUTE_MS = 60_000;

/** How far the clocks of a zone are ahead of UTC at an instant, in milliseconds. */
function offsetAt(instant: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  }).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    Number(parts.find((each) => each.type === type)?.value ?? 0);
  const clock = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'));
  return clock - Math.floor(instant / MINUTE_MS) * MINUTE_MS;
}

/**
 * The instant at which the clocks of a zone show a time: of two, the first; a time that they skip is that much later.
 * @param clock `YYYY-MM-DDTHH:mm`. @returns undefined if it is not a time.
 */
export function instantOf(clock: string, timeZone: string): Date | undefined {
  const asUtc = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(clock) ? Date.parse(`${clock}Z`) : NaN;
  if (Number.isNaN(asUtc)) return undefined;
  const dayMs = 1_440 * MINUTE_MS;
  const [before, after] = [offsetAt(asUtc - dayMs, timeZone), offsetAt(asUtc + dayMs, timeZone)];
  const found = [before, after]
    .map((offset) => asUtc - offset)
    .toSorted((one, other) => one - other)
    .find((instant) => instant + offsetAt(instant, timeZone) === asUtc);
  return new Date(found ?? asUtc - before);
}

/** What the clocks of a zone show, as `YYYY-MM-DDTHH:mm`. */
export function clockAt(instant: Date, timeZone: string): string {
  const time = instant.getTime();
  return new Date(time + offsetAt(time, timeZone)).toISOString().slice(0, 16);
}
