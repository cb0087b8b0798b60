import type { Types } from 'mongoose';
import { groupsOf } from '../../common/group-by';
import type { Device } from '../../devices/store/device.schema';
import { hashRecipient } from '../../devices/sims/limits/hash-recipient';
import { type Candidate, canTake, chooseSim, type SimChoice } from '../../devices/sims/pools/choose-sim';
import { simsServing } from '../../devices/sims/pools/country-rules';
import type { Pool } from '../../devices/sims/pools/pool.schema';
import type { SimRecord } from '../../devices/sims/schemas/sim.schema';
import type { LimitReason } from '../../devices/states/wait-reasons';
import { laneKey, laneOf } from './lane';
import { type LaneLoad, type PoolMember, PoolSim } from './pool-sim';

/** A SIM of a pool that may take a message. */
export interface PoolCandidate extends Candidate {
  readonly sim: SimRecord;
  readonly device: Device;
}

/** A message that a pool is to send. */
export interface PooledMessage {
  /** See `peerNumber` in `src/common`. */
  readonly peerNumber: string;
  /** SMS parts. */
  readonly parts: number;
  /** Urgent, and the only one of its send. */
  readonly isSingleUrgent: boolean;
  /** Whether it leaves now, and draws from the pace; absent while it is only bound to a SIM. */
  readonly isDue?: boolean;
  /** Whether it waits for the pace of a phone too, and not only of a SIM that has its own. */
  readonly waitsForPhonePace?: boolean;
  /** Phones that do not get the message. */
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

/**
 * A pool at a moment. It counts what it has chosen, so that one view serves a whole send: a SIM gets no more than its limits
 * allow, and loads and turns go on.
 */
export class PoolView {
  readonly pool: Pool;
  /** The SIMs of the pool that exist, also those that can take nothing now. */
  readonly members: readonly PoolMember[];
  private readonly sims: readonly PoolSim[];
  private readonly countries: Readonly<Record<string, readonly string[]>>;
  private readonly previousSims: Map<string, string>;
  private turns = 0;

  /** @param addTurns stores how many more messages were chosen for. */
  constructor(
    private readonly facts: PoolFacts,
    private readonly addTurns: (count: number) => Promise<void> = () => Promise.resolve(),
  ) {
    const { pool, members, now, previousSims } = facts;
    this.pool = pool;
    this.members = members;
    this.previousSims = new Map(previousSims);
    this.sims = groupsOf(members, memberLane).flatMap((sharing) => {
      const lane: LaneLoad = { size: sharing.length, loadMs: 0 };
      return sharing.map((member) => new PoolSim(member, lane, now.getTime()));
    });
    this.countries = Object.fromEntries(
      Object.entries(pool.countries ?? {}).map(([prefix, sims]) => [prefix, sims.map(String)]),
    );
  }

  /** The pool as it was opened, with the SIMs that numbers last heard from. */
  reopened(previousSims: PoolFacts['previousSims']): PoolView {
    return new PoolView({ ...this.facts, previousSims }, this.addTurns);
  }

  /** Chooses the SIM of a message, and counts it for the next choices. */
  choose(message: PooledMessage): SimChoice<PoolCandidate> {
    const { peerNumber, isSingleUrgent } = message;
    const { strategy, turn = 0 } = this.pool;
    const choice = chooseSim(
      this.candidatesFor(message),
      { recipient: peerNumber, previousSim: this.previousSims.get(peerNumber), isSingleUrgent },
      { strategy, turn: turn + this.turns },
      this.facts.now,
    );
    if (!choice.sim) return choice;
    const { sim: chosen } = choice;
    if (!isInPhone(chosen)) throw new Error(`SIM ${chosen.id} was chosen although it is in no phone`);
    chosen.take();
    this.turns += 1;
    this.previousSims.set(peerNumber, chosen.id);
    return { ...choice, sim: chosen };
  }

  /** Keeps the SIM of a message if it can take it now, and counts it. @returns undefined if it cannot. */
  keep(message: PooledMessage, sim: Types.ObjectId): PoolCandidate | undefined {
    const kept = this.candidatesFor(message).find(({ id }) => sim.equals(id));
    if (!kept || !isInPhone(kept) || !canTake(kept, this.facts.now)) return undefined;
    // It may be lost as a canary: `choose` finds a healthy one, if there is any.
    if (message.isSingleUrgent && kept.health.state !== 'closed') return undefined;
    kept.take();
    return kept;
  }

  /** The limit by which a SIM cannot take a message now. */
  limitOf(message: PooledMessage, sim: string): LimitReason | undefined {
    return this.candidatesFor(message).find(({ id }) => id === sim)?.limitReason;
  }

  isInPhone(sim: string): boolean {
    return this.sims.some((each) => each.id === sim && isInPhone(each));
  }

  /** Stores how many turns round-robin has taken, once what was chosen for is stored. A process that dies before loses them. */
  async recordRoundRobinTurns(): Promise<void> {
    const { turns } = this;
    this.turns = 0;
    if (turns > 0 && this.pool.strategy === 'round-robin') await this.addTurns(turns);
  }

  private candidatesFor({
    peerNumber,
    parts,
    isSingleUrgent,
    isDue = false,
    waitsForPhonePace = false,
    exceptDevices = [],
  }: PooledMessage): PoolSim[] {
    const considered = {
      parts,
      recipient: hashRecipient(peerNumber),
      serving: simsServing(peerNumber, this.countries),
      isSingleUrgent,
      isDue,
      waitsForPhonePace,
    };
    return this.sims
      .filter(({ device }) => !device || !exceptDevices.some((id) => id.equals(device._id)))
      .map((sim) => sim.consider(considered));
  }
}

/** A SIM in no phone has a lane of its own. */
const memberLane = ({ sim, device }: PoolMember): string =>
  device ? laneKey(laneOf({ device, sim })) : sim._id.toHexString();

const isInPhone = (sim: PoolSim): sim is PoolSim & { readonly device: Device } => sim.device !== undefined;
