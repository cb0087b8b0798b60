import type { Types } from 'mongoose';
import { MINUTE_MS } from '../../common/durations';
import { groupBy } from '../../common/group-by';
import type { Device } from '../../devices/device.schema';
import type { HealthSummary } from '../../devices/sims/health/sim-health';
import { hashRecipient } from '../../devices/sims/limits/hash-recipient';
import { DEFAULT_PARTS_PER_MINUTE, mayLeaveAt, paceOf } from '../../devices/sims/limits/token-bucket';
import { UsageState } from '../../devices/sims/limits/usage-state';
import {
  type Candidate,
  chooseSim,
  type Rejection,
  REJECTION_REASONS,
  type SimChoice,
} from '../../devices/sims/pools/choose-sim';
import { simsServing } from '../../devices/sims/pools/country-rules';
import type { Pool } from '../../devices/sims/pools/pool.schema';
import { limitsOf } from '../../devices/sims/sim-choice';
import type { SimUsage } from '../../devices/sims/sim-usage.schema';
import type { SimRecord } from '../../devices/sims/sim.schema';
import { messageMs, type PhonePace } from '../dispatch/wave-plan';

/** A message that waits for its parts alone for less than this time stays with its SIM. */
const MAX_PACE_WAIT_MS = MINUTE_MS;

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

/** A SIM of a pool that may take a message. */
export interface PoolCandidate extends Candidate {
  readonly sim: SimRecord;
  readonly device: Device;
}

type AnyCandidate = Candidate & Pick<PoolMember, 'sim' | 'device'>;

/** A message that a pool is to send. */
export interface PooledMessage {
  /** See `contactNumber` in `src/common`. */
  readonly contactNumber: string;
  /** SMS parts. */
  readonly parts: number;
  /** Urgent, and the only one of its send. */
  readonly isSingleUrgent: boolean;
  /** Phones that had the message; none of them gets it again. */
  readonly exceptDevices?: readonly Types.ObjectId[];
}

export interface PoolFacts {
  readonly pool: Pool;
  /** The SIMs of the pool that exist. */
  readonly members: readonly PoolMember[];
  /** Id of the SIM that a number last heard from. */
  readonly previousSims: ReadonlyMap<string, string>;
  readonly now: Date;
}

/** What the messages chosen for so far make of a SIM. */
interface MemberState {
  readonly member: PoolMember;
  readonly id: string;
  readonly pace: PhonePace;
  /** Of one-part messages, a minute; SIMs that share the pace of their phone share this. */
  readonly messagesPerMinute: number;
  /** Shared by the SIMs that share the pace of their phone. */
  readonly lane: { loadMs: number };
  /** Without the pace, which is no reason to choose another SIM. Absent without limits. */
  readonly usage?: UsageState;
}

/**
 * A pool at a moment. It counts what it has chosen, so that one view serves a whole send: a SIM gets no more than its limits
 * allow, and loads and turns go on.
 */
export class PoolView {
  readonly pool: Pool;
  /** The SIMs of the pool that exist, also those that can take nothing now. */
  readonly members: readonly PoolMember[];
  private readonly states: readonly MemberState[];
  private readonly countries: Readonly<Record<string, readonly string[]>>;
  private readonly previousSims: Map<string, string>;
  private turns = 0;

  /** @param addTurns stores how many more messages were chosen for. */
  constructor(
    private readonly facts: PoolFacts,
    private readonly addTurns: (count: number) => Promise<void> = () => Promise.resolve(),
  ) {
    const { pool, members, now } = facts;
    this.pool = pool;
    this.members = members;
    this.previousSims = new Map(facts.previousSims);
    this.states = statesOf(members, now);
    this.countries = Object.fromEntries(
      Object.entries(pool.countries ?? {}).map(([prefix, sims]) => [prefix, sims.map(String)]),
    );
  }

  /** Chooses the SIM of a message, and counts it for the next choices. */
  choose(message: PooledMessage): SimChoice<PoolCandidate> {
    const { pool, now } = this.facts;
    const { contactNumber, parts, isSingleUrgent } = message;
    const candidates = this.candidatesFor(message);
    const choice = chooseSim(
      candidates,
      { recipient: contactNumber, previousSim: this.previousSims.get(contactNumber), isSingleUrgent },
      { strategy: pool.strategy, turn: (pool.turn ?? 0) + this.turns },
      now,
    );
    if (!choice.sim) return choice;
    const { sim: chosen } = choice;
    if (!isInPhone(chosen)) throw new Error(`SIM ${chosen.id} was chosen although it is in no phone`);
    this.turns += 1;
    this.previousSims.set(contactNumber, chosen.id);
    const state = this.states.find(({ id }) => id === chosen.id);
    state?.usage?.count(parts, hashRecipient(contactNumber));
    if (state) state.lane.loadMs += messageMs(parts, state.pace);
    return { ...choice, sim: chosen };
  }

  /**
   * The SIM that a message is bound to while none can take it, by a choice that has none: the one whose reason ends first.
   * @returns undefined if none of its SIMs is in a phone that may have the message.
   */
  closest({ rejections }: SimChoice<PoolCandidate>): Pick<PoolCandidate, 'sim' | 'device'> | undefined {
    const rank = ({ reason, until }: Rejection) => [
      reason === 'country' ? 1 : 0,
      until?.getTime() ?? Infinity,
      -REJECTION_REASONS.indexOf(reason),
    ];
    const [closest] = rejections
      .flatMap((rejection) => {
        const state = this.states.find(({ id }) => id === rejection.sim);
        return state && isInPhone(state.member) ? [{ rank: rank(rejection), member: state.member }] : [];
      })
      .sort((one, other) => compareRanks(one.rank, other.rank));
    return closest?.member;
  }

  /** Stores the turns of round-robin, once what was chosen for is stored. A process that dies before loses them. */
  async recordTurns(): Promise<void> {
    const { turns } = this;
    this.turns = 0;
    if (turns > 0 && this.pool.strategy === 'round-robin') await this.addTurns(turns);
  }

  private candidatesFor({ contactNumber, parts, exceptDevices = [] }: PooledMessage): AnyCandidate[] {
    const serving = simsServing(contactNumber, this.countries);
    const recipient = hashRecipient(contactNumber);
    return this.states
      .filter(({ member }) => !exceptDevices.some((id) => member.device?._id.equals(id)))
      .map((state) => this.candidateOf(state, parts, recipient, serving));
  }

  private candidateOf(
    { member, id, pace, messagesPerMinute, lane, usage }: MemberState,
    parts: number,
    recipient: string,
    serving: readonly string[] | undefined,
  ): AnyCandidate {
    const now = this.facts.now.getTime();
    const { sim, device, isReachable, health } = member;
    const paced = paceFreeAt(member, parts, now);
    const isHeldByPace = sim.limits?.partsPerMinute !== undefined && paced - now >= MAX_PACE_WAIT_MS;
    const countedUntil = usage?.waitOf(parts, recipient)?.until ?? 0;
    const freeAt = Math.max(now, paced, device?.dispatchFreeAt?.getTime() ?? 0);
    return {
      id,
      sim,
      device,
      isEnabled: sim.enabled && device?.enabled !== false && device?.drainingSince === undefined,
      isReachable,
      servesRecipient: serving?.includes(id) ?? true,
      allowedAt: new Date(Math.ceil(Math.max(countedUntil, isHeldByPace ? paced : 0))),
      room: usage?.room ?? Infinity,
      health,
      messagesPerMinute,
      doneAt: new Date(freeAt + lane.loadMs + messageMs(parts, pace)),
    };
  }
}

function statesOf(members: readonly PoolMember[], now: Date): MemberState[] {
  const lanes = groupBy(members, laneOf);
  return [...lanes.values()].flatMap((sharing) => {
    const lane = { loadMs: 0 };
    return sharing.map((member): MemberState => {
      const { sim, device, usage } = member;
      const pace = paceOfMember(member);
      const { partsPerMinute: _, ...limits } = limitsOf(sim) ?? {};
      return {
        member,
        id: sim._id.toHexString(),
        pace,
        messagesPerMinute: MINUTE_MS / messageMs(1, pace) / (device ? sharing.length : 1),
        lane,
        ...(limitsOf({ limits }) && { usage: new UsageState(usage, limits, now.getTime()) }),
      };
    });
  });
}

/** What shares a pace: a SIM with a limit of parts a minute, else all SIMs of a phone. */
const laneOf = ({ sim, device }: PoolMember) =>
  sim.limits?.partsPerMinute === undefined ? String(device?._id ?? sim._id) : String(sim._id);

const paceOfMember = ({ sim, device }: PoolMember): PhonePace => ({
  smsSendDelaySeconds: device?.smsSendDelaySeconds ?? 0,
  partsPerMinute: sim.limits?.partsPerMinute ?? device?.partsPerMinute,
});

/** When the pace lets a message leave, by what was handed over, in milliseconds since 1970. */
function paceFreeAt({ sim, device, usage }: PoolMember, parts: number, now: number): number {
  const own = sim.limits?.partsPerMinute;
  const perMinute = own ?? device?.partsPerMinute;
  if (perMinute === null) return 0;
  const fullAt = own === undefined ? device?.pacedUntil : usage?.fullAt;
  return mayLeaveAt(paceOf(perMinute ?? DEFAULT_PARTS_PER_MINUTE), fullAt, parts, now);
}

const isInPhone = <Sim extends Pick<PoolMember, 'device'>>(
  sim: Sim,
): sim is Sim & { readonly device: Device } => sim.device !== undefined;

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, position) => value !== other[position]);
  return index < 0 || (one[index] ?? 0) < (other[index] ?? 0) ? -1 : 1;
}
