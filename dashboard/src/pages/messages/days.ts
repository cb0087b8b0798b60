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

const PRESETS = ['today', 'yesterday', 'last7', 'last30', 'thisMonth', 'lastMonth'] as const;
export type Preset = (typeof PRESETS)[number];

/** The first and last day of spans that people often want. @param today such as `2026-03-29`. */
export function presetDays(today: string): { preset: Preset; days: [first: string, last: string] }[] {
  const [year = 0, month = 0] = today.split('-').map(Number);
  const before = (days: number) => dayAfter(today, -days);
  const spans: Record<Preset, [string, string]> = {
    today: [today, today],
    yesterday: [before(1), before(1)],
    last7: [before(6), today],
    last30: [before(29), today],
    thisMonth: [`${today.slice(0, 8)}01`, today],
    lastMonth: [dateOf(Date.UTC(year, month - 2, 1)), dateOf(Date.UTC(year, month - 1, 0))],
  };
  return PRESETS.map((preset) => ({ preset, days: spans[preset] }));
}

const dateOf = (instant: number) => new Date(instant).toISOString().slice(0, 10);
const dayAfter = (day: string, days: number) => dateOf(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000);

/** The instant at which a day, such as `2026-03-29`, begins in a zone, in ISO 8601. */
export function startOfDay(day: string, timeZone: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const guess = midnight - offsetOf(timeZone, midnight);
  // The clocks may change between midnight in UTC and midnight in the zone.
  return new Date(midnight - offsetOf(timeZone, guess)).toISOString();
}

/** The instant at which a day ends in a zone. */
export function endOfDay(day: string, timeZone: string): string {
  return startOfDay(dayAfter(day, 1), timeZone);
}

/** The day of an instant, in milliseconds since 1970, in a zone. */
export const dayIn = (timeZone: string, instant: number): string =>
  dateOf(instant + offsetOf(timeZone, instant));

/** The day of an instant in a zone; undefined if the text is no time. */
export function dayOf(time: string | undefined, timeZone: string): string | undefined {
  const instant = Date.parse(time ?? '');
  return Number.isNaN(instant) ? undefined : dayIn(timeZone, instant);
}
