import type { LimitReason } from '../../states/wait-reasons';
import type { SimLimits } from '../schemas/sim.schema';
import type { SimUsage } from '../schemas/sim-usage.schema';
import { type Calendar, calendarOf, type Period, PERIODS } from './calendar';
import { draw, mayLeaveAt, type Pace, paceOf, partsDrawn } from '../../pace/token-bucket';

export interface Wait {
  readonly reason: LimitReason;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** What is used of a limit, and when it resets; absent if nothing is used. */
export interface LimitUsage {
  readonly used: number;
  readonly resetsAt?: Date;
}

interface CurrentCount {
  readonly start: number;
  readonly end: number;
  count: number;
}

/** The longest period first: a message waits for the longest of the periods that are full. */
const MESSAGE_LIMITS = [
  ['month', 'messagesPerMonth', 'messages_per_month'],
  ['day', 'messagesPerDay', 'messages_per_day'],
  ['hour', 'messagesPerHour', 'messages_per_hour'],
] as const satisfies readonly (readonly [Period, keyof SimLimits, LimitReason])[];

/**
 * What a SIM has used in the current periods. A period never moves back: after a clock was set back, messages count for
 * the later period.
 */
export class UsageState {
  private readonly calendar: Calendar;
  private readonly pace: Pace | undefined;
  private readonly counts: Record<Period, CurrentCount>;
  private recipients: Record<string, number>;
  private recipientCount: number;
  private fullAt: number | undefined;
  /** The last of the messages that wait for parts: when it leaves, and when the bucket is full again after that. */
  private queue: { readonly at: number; readonly fullAt: number } | undefined;

  /** @param now milliseconds since 1970. */
  constructor(
    usage: SimUsage | undefined,
    private readonly limits: SimLimits,
    private now: number,
  ) {
    this.calendar = calendarOf(limits.timeZone, limits.monthStartsOn);
    this.pace = limits.partsPerMinute === undefined ? undefined : paceOf(limits.partsPerMinute);
    const current = (period: Period) => this.currentCount(period, usage);
    this.counts = { hour: current('hour'), day: current('day'), month: current('month') };
    const isSameMonth = usage?.month?.start.getTime() === this.counts.month.start;
    this.recipients = { ...(isSameMonth && usage.recipients) };
    this.recipientCount = Object.keys(this.recipients).length;
    this.fullAt = usage?.fullAt;
  }

  /** Moves to a later time, at which the periods that have ended reset. */
  advanceTo(time: number): void {
    this.now = time;
    this.queue = undefined;
    for (const period of PERIODS) {
      if (time < this.counts[period].end) continue;
      this.counts[period] = { ...this.calendar.spanOf(period, time), count: 0 };
      if (period !== 'month') continue;
      this.recipients = {};
      this.recipientCount = 0;
    }
  }

  /** Whether a new recipient has to wait, because the month has had as many as its limit allows. */
  get hasAllRecipients(): boolean {
    return this.recipientCount >= (this.limits.recipientsPerMonth ?? Infinity);
  }

  /** Whether the recipient has been sent something in this month. */
  isKnown(recipient: string): boolean {
    return Object.hasOwn(this.recipients, recipient);
  }

  /** The start of the current month, in milliseconds since 1970. */
  get monthStart(): number {
    return this.counts.month.start;
  }

  /** Why a message has to wait, and until when; undefined if it may leave now. */
  waitOf(parts: number, recipient: string): Wait | undefined {
    return this.waitForCount(recipient) ?? this.waitForParts(parts);
  }

  /** Why a message has to wait that leaves parts to others until a time, in milliseconds since 1970. */
  waitBehind(time: number, parts: number, recipient: string): Wait {
    const wait = this.waitOf(parts, recipient);
    if (wait && (wait.reason !== 'parts_per_minute' || wait.until > time)) return wait;
    return { reason: 'parts_per_minute', until: time };
  }

  /** Counts a message that leaves now. */
  count(parts: number, recipient: string): void {
    for (const period of PERIODS) this.counts[period].count += 1;
    if (this.limits.recipientsPerMonth !== undefined) {
      if (!Object.hasOwn(this.recipients, recipient)) this.recipientCount += 1;
      this.recipients[recipient] = (this.recipients[recipient] ?? 0) + 1;
    }
    if (this.pace) this.fullAt = draw(this.pace, this.fullAt, parts, this.now);
  }

  toStored(): Pick<SimUsage, 'hour' | 'day' | 'month' | 'recipients' | 'fullAt'> {
    const stored = ({ start, count }: CurrentCount) => ({ start: new Date(start), count });
    const { hour, day, month } = this.counts;
    return {
      hour: stored(hour),
      day: stored(day),
      month: stored(month),
      recipients: this.recipients,
      ...(this.fullAt !== undefined && { fullAt: this.fullAt }),
    };
  }

  /** The time of a reservation: in the periods for which it counts. */
  get countedAt(): Date {
    return new Date(Math.max(this.now, ...PERIODS.map((period) => this.counts[period].start)));
  }

  /** Messages to new recipients that the limits still allow in their periods; Infinity without such limits. */
  get room(): number {
    const { limits, counts, recipientCount } = this;
    let room = (limits.recipientsPerMonth ?? Infinity) - recipientCount;
    for (const [period, limit] of MESSAGE_LIMITS)
      room = Math.min(room, (limits[limit] ?? Infinity) - counts[period].count);
    return Math.max(0, room);
  }

  /** What is used of each limit that is set. */
  summary(): Partial<Record<keyof SimLimits, LimitUsage>> {
    const { limits, counts, pace, now } = this;
    const summary: Partial<Record<keyof SimLimits, LimitUsage>> = {};
    const add = (limit: keyof SimLimits, used: number, resetsAt: number) => {
      if (limits[limit] === undefined) return;
      summary[limit] = { used, ...(used > 0 && { resetsAt: new Date(resetsAt) }) };
    };
    if (pace) add('partsPerMinute', partsDrawn(pace, this.fullAt, now), this.fullAt ?? now);
    for (const [period, limit] of MESSAGE_LIMITS) add(limit, counts[period].count, counts[period].end);
    add('recipientsPerMonth', this.recipientCount, counts.month.end);
    return summary;
  }

  private waitForCount(recipient: string): Wait | undefined {
    const { counts, limits } = this;
    for (const [period, limit, reason] of MESSAGE_LIMITS) {
      const { count, end } = counts[period];
      if (count >= (limits[limit] ?? Infinity)) return { reason, until: end };
      if (period !== 'month' || this.isKnown(recipient)) continue;
      if (this.hasAllRecipients) return { reason: 'recipients_per_month', until: end };
    }
    return undefined;
  }

  /** Messages that wait for parts leave in their order. */
  private waitForParts(parts: number): Wait | undefined {
    const { pace, queue, now } = this;
    if (!pace) return undefined;
    const until = mayLeaveAt(pace, queue?.fullAt ?? this.fullAt, parts, queue?.at ?? now);
    if (!queue && until <= now) return undefined;
    this.queue = { at: until, fullAt: draw(pace, queue?.fullAt ?? this.fullAt, parts, until) };
    return { reason: 'parts_per_minute', until };
  }

  private currentCount(period: Period, usage: SimUsage | undefined): CurrentCount {
    const stored = usage?.[period];
    const span = this.calendar.spanOf(period, this.now);
    const start = stored?.start.getTime() ?? -Infinity;
    if (!stored || start < span.start) return { ...span, count: 0 };
    const { end } = this.calendar.spanOf(period, Math.max(start, this.now));
    return { start, end, count: stored.count };
  }
}
