import { HOUR_MS, MINUTE_MS } from '../../src/common/durations';
import type { SimLimits } from '../../src/devices/sims/schemas/sim.schema';

/** A message that left. */
export interface Left {
  readonly at: number;
  readonly parts: number;
  readonly recipient: string;
  readonly keys: Readonly<Record<'hour' | 'day' | 'month', string>>;
  /** Whether it turned out not to have left. Its parts stay drawn. */
  isFreed: boolean;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** "2026-03-28 23:30:00". Making a format takes a millisecond. */
function localTime(timeZone: string, time: number): string {
  const options = { timeZone, dateStyle: 'short', timeStyle: 'medium' } as const;
  const clock = clocks.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', options);
  clocks.set(timeZone, clock);
  return clock.format(time);
}

/** Decides from everything that ever left, with the local time as text, and the bucket in whole units of 1/60,000 part. */
export class LimitsOracle {
  readonly left: Left[] = [];

  constructor(readonly limits: SimLimits) {}

  record(parts: number, recipient: string, at: number): Left {
    const entry = { at, parts, recipient, keys: this.keysAt(at), isFreed: false };
    this.left.push(entry);
    return entry;
  }

  mayLeave(parts: number, recipient: string, at: number): boolean {
    return this.hasRoom(recipient, at) && this.hasParts(parts, at);
  }

  hasRoom(recipient: string, at: number): boolean {
    const { messagesPerHour, messagesPerDay, messagesPerMonth, recipientsPerMonth } = this.limits;
    const keys = this.keysAt(at);
    const inPeriod = (period: keyof Left['keys']) =>
      this.left.filter((each) => !each.isFreed && each.keys[period] === keys[period]);
    const recipients = new Set(inPeriod('month').map((each) => each.recipient));
    return (
      inPeriod('hour').length < (messagesPerHour ?? Infinity) &&
      inPeriod('day').length < (messagesPerDay ?? Infinity) &&
      inPeriod('month').length < (messagesPerMonth ?? Infinity) &&
      (recipients.has(recipient) || recipients.size < (recipientsPerMonth ?? Infinity))
    );
  }

  /** @param ahead milliseconds by which the bucket may be early. */
  hasParts(parts: number, at: number, ahead = 0): boolean {
    const { partsPerMinute } = this.limits;
    if (partsPerMinute === undefined) return true;
    const burst = Math.max(1, Math.floor(partsPerMinute / 4));
    const full = burst * MINUTE_MS;
    let level = full;
    let last = this.left[0]?.at ?? at;
    const refill = (time: number) => {
      const refilled = level + (time - last) * partsPerMinute;
      level = Math.max(Math.min(full, refilled), full - HOUR_MS * partsPerMinute);
      last = time;
    };
    for (const each of this.left) {
      refill(each.at);
      level -= each.parts * MINUTE_MS;
    }
    refill(at);
    return level + ahead * partsPerMinute >= Math.min(parts, burst) * MINUTE_MS;
  }

  private keysAt(time: number): Left['keys'] {
    const text = localTime(this.limits.timeZone ?? 'UTC', time);
    const [year = 0, month = 0, day = 0] = text.split(/[- ]/).map(Number);
    const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
    const starts = day >= Math.min(this.limits.monthStartsOn ?? 1, lastDay);
    const keys = {
      hour: text.slice(0, 13),
      day: text.slice(0, 10),
      month: new Date(Date.UTC(year, month - (starts ? 1 : 2))).toISOString().slice(0, 7),
    };
    const latest = (period: keyof Left['keys']) =>
      this.left.reduce((key, each) => (each.keys[period] > key ? each.keys[period] : key), keys[period]);
    return { hour: latest('hour'), day: latest('day'), month: latest('month') };
  }
}
