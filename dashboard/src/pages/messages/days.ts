/** How much the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetOf(timeZone: string, instant: number): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value);
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return local - Math.floor(instant / 1_000) * 1_000;
}

/** The instant at which a day, such as `2026-03-29`, begins in a zone, in ISO 8601. */
export function startOfDay(day: string, timeZone: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const guess = midnight - offsetOf(timeZone, midnight);
  // The clocks may change between midnight in UTC and midnight in the zone.
  return new Date(midnight - offsetOf(timeZone, guess)).toISOString();
}

/** The instant at which a day ends in a zone. */
export function endOfDay(day: string, timeZone: string): string {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
  return startOfDay(next, timeZone);
}

/** The day of an instant in a zone; undefined if the text is no time. */
export function dayOf(time: string | undefined, timeZone: string): string | undefined {
  const instant = Date.parse(time ?? '');
  if (Number.isNaN(instant)) return undefined;
  return new Date(instant + offsetOf(timeZone, instant)).toISOString().slice(0, 10);
}
