import { MINUTE_MS } from '../../common/durations';
import type { Device } from '../../devices/store/device.schema';
import type { HealthSummary } from '../../devices/sims/health/sim-health';
import {
  DEFAULT_PARTS_PER_MINUTE,
  drawTime,
  mayLeaveAt,
  occupiedMs,
  paceOf,
} from '../../devices/pace/token-bucket';
import { UsageState } from '../../devices/sims/limits/usage-state';
import type { Candidate } from '../../devices/sims/pools/choose-sim';
import { hasOwnPace, limitsOf } from '../../devices/sims/choose-phone-sim';
import type { SimUsage } from '../../devices/sims/schemas/sim-usage.schema';
import type { SimRecord } from '../../devices/sims/schemas/sim.schema';
import type { LimitReason } from '../../devices/states/wait-reasons';
import { messageMs, type PhonePace } from '../waves/wave-plan';

/** A message that its SIM's pace alone holds back for less than this time does not leave the SIM. */
export const MAX_PACE_WAIT_MS = MINUTE_MS;

const AT_ONCE = new Date(0);

/** A SIM of a pool as stored, with its phone. */
export interface PoolMember {
  readonly sim: SimRecord;
  /** Absent if the SIM is in no phone. */
  readonly device?: Device;
  /** Whether its phone can be handed messages now. */
  readonly isReachable: boolean;
  readonly health: HealthSummary;
  /** Absent if it has no limits, or nothing is used of them. */
  readonly usage?: SimUsage;
}

/** What is chosen for SIMs that share a pace: one with a limit of parts a minute, else those of a phone. */
export interface LaneLoad {
  readonly size: number;
  /** What was chosen so far. */
  loadMs: number;
  /** When the bucket of parts is full again after the due messages that were chosen so far; absent if there were none. */
  fullAt?: number;
}

/** The message that a SIM is considered for. */
export interface ConsideredMessage {
  readonly parts: number;
  /** See `hashRecipient`. */
  readonly recipient: string;
  /** The SIMs that may send to its country; undefined: all. */
  readonly serving: readonly string[] | undefined;
  /** Whether it leaves before the large sends that the SIM has accepted. */
  readonly isSingleUrgent: boolean;
  /** See `PooledMessage`. */
  readonly isDue: boolean;
  readonly waitsForPhonePace: boolean;
}

/**
 * A SIM of a pool as a candidate for one message after the other, with what was chosen so far. It is reused, and computes
 * what is asked for only, because a send chooses among 100 SIMs for 10,000 messages.
 */
export class PoolSim implements Candidate, Omit<PoolMember, 'usage'> {
  readonly id: string;
  readonly sim: SimRecord;
  readonly device?: Device;
  readonly isReachable: boolean;
  health: HealthSummary;
  readonly isEnabled: boolean;
  readonly messagesPerMinute: number;
  private readonly pace: PhonePace;
  /** Without the pace, which `pacedUntil` tells. Absent without other limits. */
  private readonly usage?: UsageState;
  private readonly fullAt: number | undefined;
  private message: ConsideredMessage = {
    parts: 1,
    recipient: '',
    serving: undefined,
    isSingleUrgent: false,
    isDue: false,
    waitsForPhonePace: false,
  };
  private roomLeft: number;

  /** @param now milliseconds since 1970. */
  constructor(
    { sim, device, isReachable, health, usage }: PoolMember,
    private readonly lane: LaneLoad,
    private readonly now: number,
  ) {
    this.id = sim._id.toHexString();
    this.sim = sim;
    if (device) this.device = device;
    this.isReachable = isReachable;
    this.health = health;
    this.isEnabled = sim.enabled && device?.enabled !== false && device?.drainingSince === undefined;
    const { partsPerMinute: own, ...limits } = limitsOf(sim) ?? {};
    this.pace = {
      smsSendDelaySeconds: device?.smsSendDelaySeconds ?? 0,
      partsPerMinute: own ?? device?.partsPerMinute,
    };
    this.fullAt = own === undefined ? device?.pacedUntil : usage?.fullAt;
    this.messagesPerMinute = MINUTE_MS / this.messageMs(1) / lane.size;
    if (limitsOf({ limits })) this.usage = new UsageState(usage, limits, now);
    this.roomLeft = this.usage?.room ?? Infinity;
  }

  get servesRecipient(): boolean {
    return this.message.serving?.includes(this.id) ?? true;
  }

  get allowedAt(): Date {
    const { parts, recipient } = this.message;
    const wait = this.roomLeft > 0 ? undefined : this.usage?.waitOf(parts, recipient);
    const waitsForPace = hasOwnPace(this.sim) || this.message.waitsForPhonePace;
    const pacedUntil = waitsForPace ? Math.ceil(this.pacedUntil(this.lane.fullAt ?? this.fullAt)) : 0;
    const until = Math.max(wait?.until ?? 0, pacedUntil - this.now >= MAX_PACE_WAIT_MS ? pacedUntil : 0);
    return until === 0 ? AT_ONCE : new Date(Math.ceil(until));
  }

  get room(): number {
    return this.roomLeft;
  }

  get doneAt(): Date {
    const { parts, isSingleUrgent } = this.message;
    const { dispatchFreeAt } = (hasOwnPace(this.sim) ? this.sim : this.device) ?? {};
    const queuedUntil = isSingleUrgent ? 0 : (dispatchFreeAt?.getTime() ?? 0);
    const freeAt = Math.max(this.now, this.pacedUntil(this.fullAt), queuedUntil);
    return new Date(freeAt + this.lane.loadMs + this.messageMs(parts));
  }

  /** The limit that holds the message back, while one does. */
  get limitReason(): LimitReason {
    const { parts, recipient } = this.message;
    return this.usage?.waitOf(parts, recipient)?.reason ?? 'parts_per_minute';
  }

  /** Has the other properties answer for this message. */
  consider(message: ConsideredMessage): this {
    this.message = message;
    return this;
  }

  /** Counts the message that it is considered for. An unhealthy SIM takes no other one: it is the canary. */
  take(): void {
    const { parts, recipient, isDue } = this.message;
    const { canaryDueAt, ...health } = this.health;
    if (canaryDueAt) this.health = health;
    this.lane.loadMs += this.messageMs(parts);
    this.usage?.count(parts, recipient);
    this.roomLeft = this.usage?.room ?? Infinity;
    const { partsPerMinute = DEFAULT_PARTS_PER_MINUTE } = this.pace;
    if (!isDue || partsPerMinute === null) return;
    const pace = paceOf(partsPerMinute);
    const occupied = hasOwnPace(this.sim) ? parts * pace.msPerPart : occupiedMs(pace, parts);
    this.lane.fullAt = drawTime(this.lane.fullAt ?? this.fullAt, occupied, this.now);
  }

  /** As its lane plans it, see `laneMessageMs`. */
  private messageMs(parts: number): number {
    return messageMs(parts, this.pace, hasOwnPace(this.sim) ? 0 : undefined);
  }

  /** When the pace lets the message leave, by what was handed over before. */
  private pacedUntil(fullAt: number | undefined): number {
    const { partsPerMinute = DEFAULT_PARTS_PER_MINUTE } = this.pace;
    if (partsPerMinute === null) return 0;
    return mayLeaveAt(paceOf(partsPerMinute), fullAt, this.message.parts, this.now);
  }
}
