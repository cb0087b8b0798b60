import { limitsOf } from '../../../devices/sims/choose-phone-sim';
import { UsageState, type Wait } from '../../../devices/sims/limits/usage-state';
import type { SimUsage } from '../../../devices/sims/schemas/sim-usage.schema';
import type { SimLimits, SimRecord } from '../../../devices/sims/schemas/sim.schema';
import type { LimitReason } from '../../../devices/states/wait-reasons';

/** A message that a SIM is to send. */
export interface ForecastMessage {
  /** Milliseconds since 1970. */
  readonly dueAt: number;
  /** The hash of the number; any text if `limitsRecipients` is false. */
  readonly recipient: string;
}

export interface HeldForecast {
  /** The messages held back, each with the last limit that it waits for. */
  readonly held: ReadonlyMap<ForecastMessage, Wait>;
  /** False if the forecast ends before all messages have left: they are held for longer than it tells. */
  readonly isComplete: boolean;
}

/** Whether a forecast needs to know the recipients. */
export const limitsRecipients = ({ limits }: Pick<SimRecord, 'limits'>): boolean =>
  limits?.recipientsPerMonth !== undefined;

/** Periods that are looked at. */
const MAX_PERIODS = 1_000;

/** Messages that are looked at again, of those that wait because of recipients. */
const MAX_REVIEWS = 1_000_000;

/**
 * Forecasts what the limits of a SIM hold back if nothing else is sent: period by period, as `decide` does. The pace is left
 * out; the plan of a send has it. In each period only the messages that leave are visited: those behind them wait for the same
 * limit, and are moved to its end together.
 * @param now milliseconds since 1970.
 */
export function* forecastHeld(
  sim: SimRecord,
  usage: SimUsage | undefined,
  messages: readonly ForecastMessage[],
  now: number,
): Generator<undefined, HeldForecast> {
  const { partsPerMinute: _, ...limits } = limitsOf(sim) ?? {};
  if (!limitsOf({ limits })) return { held: new Map(), isComplete: true };
  const lines = new Lines(messages, now);
  const state = new UsageState(usage, limits, now);
  const recipients = new KnownRecipients(state, limits, messages);
  const waits = new Map<ForecastMessage, Wait>();
  let reviews = 0;
  for (
    let period = 0;
    lines.size > 0 && period < MAX_PERIODS + lines.size && reviews < MAX_REVIEWS;
    period++
  ) {
    const { time, line } = lines.takeFirst();
    state.advanceTo(time);
    for (let first = line.shift(); first; first = line.shift()) {
      yield;
      const { message, reason } = first;
      const wait = state.waitOf(1, message.recipient);
      if (!wait) {
        if (reason) waits.set(message, { reason, until: time });
        recipients.count(message);
      } else if (recipients.mayOvertake(wait)) {
        lines.add(wait, message);
        reviews += 1;
      } else {
        lines.addWithRest(wait, message, line);
        break;
      }
    }
  }
  for (const { message, reason, time } of lines.rest()) {
    if (reason) waits.set(message, { reason, until: time });
    yield;
  }
  return { held: inOrder(waits, lines.messages), isComplete: lines.size === 0 };
}

function inOrder(waits: ReadonlyMap<ForecastMessage, Wait>, messages: readonly ForecastMessage[]) {
  const held = new Map<ForecastMessage, Wait>();
  for (const message of messages) {
    const wait = waits.get(message);
    if (wait) held.set(message, wait);
  }
  return held;
}

/** Which messages go to recipients that the month knows, which may have more although it has all its recipients. */
class KnownRecipients {
  private readonly left = new Map<string, number>();
  /** Messages left to known recipients. */
  private returning = 0;
  private month: number;

  constructor(
    private readonly state: UsageState,
    private readonly limits: SimLimits,
    messages: readonly ForecastMessage[],
  ) {
    this.month = state.monthStart;
    if (limits.recipientsPerMonth === undefined) return;
    for (const { recipient } of messages) {
      this.left.set(recipient, (this.left.get(recipient) ?? 0) + 1);
      if (state.isKnown(recipient)) this.returning += 1;
    }
  }

  /** Counts a message that leaves. */
  count({ recipient }: ForecastMessage): void {
    const { state } = this;
    if (this.limits.recipientsPerMonth !== undefined) {
      const left = (this.left.get(recipient) ?? 1) - 1;
      this.left.set(recipient, left);
      this.returning = this.returningNow() + (state.isKnown(recipient) ? -1 : left);
    }
    state.count(1, recipient);
  }

  /** Whether a message behind one that waits may leave before it, or wait for something else. */
  mayOvertake({ reason }: Wait): boolean {
    return reason !== 'messages_per_month' && this.state.hasAllRecipients && this.returningNow() > 0;
  }

  private returningNow(): number {
    if (this.month === this.state.monthStart) return this.returning;
    this.month = this.state.monthStart;
    return (this.returning = 0);
  }
}

interface Place {
  readonly message: ForecastMessage;
  next?: Place;
}

/** Messages that have waited for the same limit; undefined: for none. */
interface Section {
  readonly reason: LimitReason | undefined;
  first: Place;
  last: Place;
}

/** The messages that are to leave at one time, in their order. Lines are joined without visiting their messages. */
class Line {
  private sections: Section[] = [];

  shift(): { readonly message: ForecastMessage; readonly reason: LimitReason | undefined } | undefined {
    const [section] = this.sections;
    if (!section) return undefined;
    const { reason, first } = section;
    if (first.next) section.first = first.next;
    else this.sections.shift();
    return { message: first.message, reason };
  }

  push(message: ForecastMessage, reason: LimitReason | undefined): void {
    const place = { message };
    this.join({ reason, first: place, last: place });
  }

  /** Appends all messages of a line. */
  pushAll(line: Line, reason: LimitReason): void {
    for (const { first, last } of line.sections) this.join({ reason, first, last });
    line.sections = [];
  }

  private join(section: Section): void {
    const end = this.sections.at(-1);
    if (end?.reason !== section.reason || !end) this.sections.push(section);
    else {
      end.last.next = section.first;
      end.last = section.last;
    }
  }
}

/** The messages by the time at which they are to leave. */
class Lines {
  /** In the order in which they are due. */
  readonly messages: readonly ForecastMessage[];
  private readonly lines = new Map<number, Line>();
  private readonly dueTimes: readonly number[];
  private nextDue = 0;
  /** The ends of limits, which are few: those of the current hour, day and month. */
  private readonly ends: number[] = [];

  constructor(messages: readonly ForecastMessage[], now: number) {
    const timeOf = ({ dueAt }: ForecastMessage) => Math.max(dueAt, now);
    this.messages = messages.toSorted((one, other) => timeOf(one) - timeOf(other));
    for (const message of this.messages) this.lineAt(timeOf(message)).push(message, undefined);
    this.dueTimes = [...this.lines.keys()];
  }

  /** The number of times. */
  get size(): number {
    return this.lines.size;
  }

  takeFirst(): { readonly time: number; readonly line: Line } {
    const [end = Infinity] = this.ends;
    const due = this.dueTimes[this.nextDue] ?? Infinity;
    if (end < due) this.ends.shift();
    else this.nextDue += 1;
    const time = Math.min(end, due);
    const line = this.lineAt(time);
    this.lines.delete(time);
    return { time, line };
  }

  add({ reason, until }: Wait, message: ForecastMessage): void {
    this.lineUntil(until).push(message, reason);
  }

  addWithRest({ reason, until }: Wait, message: ForecastMessage, rest: Line): void {
    const line = this.lineUntil(until);
    line.push(message, reason);
    line.pushAll(rest, reason);
  }

  *rest() {
    for (const [time, line] of this.lines)
      for (let each = line.shift(); each; each = line.shift()) yield { ...each, time };
  }

  private lineUntil(end: number): Line {
    if (!this.lines.has(end)) {
      const later = this.ends.findIndex((other) => other > end);
      this.ends.splice(later < 0 ? this.ends.length : later, 0, end);
    }
    return this.lineAt(end);
  }

  private lineAt(time: number): Line {
    const line = this.lines.get(time) ?? new Line();
    this.lines.set(time, line);
    return line;
  }
}
