import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { type AccountScope, accountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { HOUR_MS, MINUTE_MS } from '../../common/durations';
import { groupBy } from '../../common/group-by';
import { sum } from '../../common/sum';
import type { Device } from '../store/device.schema';
import { DevicesRepository } from '../store/devices.repository';
import { breakerState, type Canary } from './health/breaker';
import { SimHealthService } from './sim-health.service';
import {
  type LimitCandidate,
  decide,
  drawParts,
  releaseUnused,
  RESERVATION_TIMEOUT_MS,
  type WaitingCandidate,
} from './limits/admission';
import { hashRecipient } from './limits/hash-recipient';
import { newlyReached } from './limits/reached-limits';
import { isSlotKept, type PacedAs, type PaceSlot, slotsOf } from '../pace/phone-pace';
import { DEFAULT_PARTS_PER_MINUTE, mayLeaveAt, occupiedMs, type Pace, paceOf } from '../pace/token-bucket';
import { choosePhoneSim, hasOwnPace, limitsOf, type PhoneSimChoice } from './choose-phone-sim';
import { keyedReports } from './sim-report';
import { SimUsageRepository } from './sim-usage.repository';
import type { SimLimits, SimRecord } from './schemas/sim.schema';
import type { WaitReason } from '../states/wait-reasons';
import { SimsRepository } from './sims.repository';

/** Messages that wait for a change of their SIM are decided on again when it changes, and after this time if that was missed. */
const RECHECK_INTERVAL_MS = HOUR_MS;

/** If the SIM of a message is merged into another one during the decision, the message is decided on again after this time. */
const RETRY_INTERVAL_MS = 5_000;

/** If the phone is booked up, its messages ask again after this time. */
const BOOKED_UP_RETRY_MS = 10 * MINUTE_MS;

export interface DueMessage {
  readonly id: Types.ObjectId;
  /** In comparable form, see `peerNumber` in `src/common`. */
  readonly recipient: string;
  readonly parts: number;
  /** Whether its pool has chosen its SIM: while that is unhealthy, it takes one message at a time, the canary. */
  readonly isChosenByPool?: boolean;
  /** Whether others wait for it when parts of the SIM are short. */
  readonly isUrgent?: boolean;
  /** The SIM that the request named, by subscription id. */
  readonly simSubscriptionId?: number;
  /** What a phone has kept for it. */
  readonly paceSlot?: PaceSlot;
}

/** A message that may be handed to the phone now. */
export interface AdmittedMessage {
  readonly id: Types.ObjectId;
  readonly parts: number;
  /** Absent if the phone chooses. */
  readonly sim?: Types.ObjectId;
  /** To be handed to the phone, because the SIM was chosen for it. */
  readonly chosenSubscriptionId?: number;
  /** The reservation that it is counted with; stored with the claim, as `simReservation`. */
  readonly reservationId?: Types.ObjectId;
  /** Unless its SIM has its own pace, or it has drawn its parts already. */
  readonly drawsFromPhonePace: boolean;
  /** Unless its SIM has its own pace. */
  readonly usesPhonePace: boolean;
  /** Whether it has drawn its parts in this admission. */
  readonly isNewlyBooked: boolean;
  /** Set if it is the canary of its SIM. */
  readonly canary?: Canary;
}

export interface HeldMessage {
  readonly id: Types.ObjectId;
  readonly sim?: Types.ObjectId;
  readonly reason: WaitReason;
  /** When it can leave, by what is known now; absent if that is not known. */
  readonly until?: Date;
  readonly retryAt: Date;
  readonly paceSlot?: PaceSlot;
}

interface Decided {
  readonly admitted: readonly AdmittedMessage[];
  readonly held: readonly HeldMessage[];
}

export interface Admission extends Decided {
  /** Nothing may be claimed from this time on: `WaitingReview` may end the reservations, as if this process had died. */
  readonly expiresAt: Date;
}

interface ChosenMessage {
  readonly message: DueMessage;
  readonly sim?: SimRecord;
  readonly subscriptionId?: number;
  readonly canary?: Canary;
  /** When it has drawn its parts; absent if it has not. */
  readonly drawn?: 'now' | 'before';
}

interface Paced {
  readonly leaving: readonly ChosenMessage[];
  readonly held: readonly HeldMessage[];
}

/**
 * Decides which messages a phone may be handed now, and by which SIM. Times are those of the process clock, like all due
 * times of messages; periods never move back, so a clock that lags counts for the later period.
 */
@Injectable()
export class SimAdmission {
  constructor(
    private readonly sims: SimsRepository,
    private readonly usages: SimUsageRepository,
    private readonly devices: DevicesRepository,
    private readonly health: SimHealthService,
    private readonly clock: Clock,
  ) {}

  /**
   * Admits messages. Limits of a SIM are never exceeded, however many processes ask: what is admitted under them is
   * reserved until `settleAdmission`. A message of a pool is neither admitted nor held if its SIM is unhealthy and does not
   * take it, because another worker may be about to hand over the same message as the canary. It stays due, and
   * `DispatchScheduler` finds it.
   * @param messages in the order in which they should leave.
   * @param options.pacedAs how the messages wait for the pace of the phone; absent: not at all, as urgent ones.
   */
  async admit(
    device: Device,
    messages: readonly DueMessage[],
    { pacedAs }: { readonly pacedAs?: PacedAs },
  ): Promise<Admission> {
    const now = this.clock.now();
    const present = await this.sims.listPresent(accountScope(device.user), device._id);
    const chosen: ChosenMessage[] = [];
    const held: HeldMessage[] = [];
    for (const [named, ofSim] of groupBy(messages, ({ simSubscriptionId }) => simSubscriptionId)) {
      const choice = await this.choose(device, present, named);
      if ('reason' in choice) {
        const retryAt = new Date(now.getTime() + RECHECK_INTERVAL_MS);
        const { reason, sim } = choice;
        held.push(...ofSim.map(({ id }) => ({ id, reason, retryAt, ...(sim && { sim }) })));
      } else chosen.push(...ofSim.map((message) => ({ message, ...choice })));
    }
    const paced = await this.byPhonePace(device, chosen, pacedAs, now);
    held.push(...paced.held);
    const admitted: AdmittedMessage[] = [];
    for (const [sim, ofSim] of groupBy(paced.leaving, (each) => each.sim)) {
      // Canaries are claimed before parts are reserved, because the parts of a reserved message that does not leave stay drawn.
      const taken = sim ? await this.claimCanaries(sim, ofSim) : ofSim;
      const limits = sim && limitsOf(sim);
      const isReserved = limits && taken.length > 0;
      const decided = isReserved
        ? await this.reserve(sim, limits, taken, now)
        : { admitted: taken.map(admittedOf), held: [] };
      admitted.push(...decided.admitted);
      held.push(...decided.held);
      const heldIds = new Set(decided.held.map(({ id }) => id));
      for (const { message, canary } of taken)
        if (sim && canary && heldIds.has(message.id)) await this.health.releaseCanary(sim._id, canary);
    }
    const admittedIds = new Set(admitted.map(({ id }) => id));
    const notAdmitted = paced.leaving.filter(({ message }) => !admittedIds.has(message.id));
    await this.returnParts(device, notAdmitted.map(admittedOf));
    return { admitted, held, expiresAt: new Date(now.getTime() + RESERVATION_TIMEOUT_MS / 2) };
  }

  /**
   * Ends the reservations of an admission.
   * @param handedOverIds the messages that were, or may have been, handed over. The others no longer count, and are no canaries.
   */
  async settleAdmission(
    device: Device,
    { admitted }: Admission,
    handedOverIds: ReadonlySet<string>,
  ): Promise<void> {
    const reserved = admitted.filter(({ reservationId }) => reservationId);
    for (const [reservationId, [first]] of groupBy(reserved, (each) => each.reservationId)) {
      if (!reservationId || !first?.sim) continue;
      await this.releaseUnused(first.sim, device.user, reservationId, (id) =>
        handedOverIds.has(id.toHexString()),
      );
    }
    for (const { id, sim, canary } of admitted) {
      if (!sim || !canary || handedOverIds.has(id.toHexString())) continue;
      await this.health.releaseCanary(sim, canary);
      await this.sims.markForReview([sim], this.clock.now());
    }
  }

  /** Ends a reservation. @param isHandedOver whether a message was, or may have been, handed over. */
  async releaseUnused(
    sim: Types.ObjectId,
    user: Types.ObjectId,
    reservationId: Types.ObjectId,
    isHandedOver: (id: Types.ObjectId) => boolean,
  ): Promise<void> {
    const now = this.clock.now();
    const mergedInto = await this.usages.change(accountScope(user), sim, (usage) => ({
      usage: releaseUnused(usage, reservationId, ({ id }) => isHandedOver(id), now),
      result: usage.mergedInto,
    }));
    if (mergedInto) await this.releaseUnused(mergedInto, user, reservationId, isHandedOver);
  }

  /** Subtracts the parts that a phone was handed from what its pace allows. @param pacedAs as for `admit`. */
  async drawPhonePace(
    device: Device,
    messages: readonly Pick<AdmittedMessage, 'parts' | 'drawsFromPhonePace'>[],
    pacedAs?: PacedAs,
  ): Promise<void> {
    const drawn = messages.filter(({ drawsFromPhonePace }) => drawsFromPhonePace);
    await this.changePhonePace(device, drawn, 1, pacedAs);
  }

  /** Gives the parts back that messages have booked and do not use, because a limit holds them or another worker has them. */
  async returnParts(
    device: Device,
    messages: readonly Pick<AdmittedMessage, 'parts' | 'isNewlyBooked'>[],
  ): Promise<void> {
    const unused = messages.filter(({ isNewlyBooked }) => isNewlyBooked);
    await this.changePhonePace(device, unused, -1, 'small-send');
  }

  /** Gives the parts back that were drawn for messages a moment ago, which the phone was not handed. */
  async returnPhonePace(
    device: Device,
    messages: readonly Pick<AdmittedMessage, 'parts' | 'usesPhonePace'>[],
    pacedAs?: PacedAs,
  ): Promise<void> {
    const drawn = messages.filter(({ usesPhonePace }) => usesPhonePace);
    await this.changePhonePace(device, drawn, -1, pacedAs);
  }

  private async changePhonePace(
    device: Device,
    messages: readonly { readonly parts: number }[],
    sign: 1 | -1,
    pacedAs: PacedAs | undefined,
  ): Promise<void> {
    const { partsPerMinute = DEFAULT_PARTS_PER_MINUTE } = device;
    if (partsPerMinute === null || messages.length === 0) return;
    const pace = paceOf(partsPerMinute);
    const drawnMs = sign * sum(messages, ({ parts }) => occupiedMs(pace, parts));
    await this.devices.drawPace(device._id, drawnMs, this.clock.now(), { isWave: pacedAs === 'wave' });
  }

  /**
   * Draws the parts of messages that a phone is handed again. They wait for nothing, and count for no other limit.
   * @param messages with the SIM that they were counted for.
   */
  async recordRedelivered(
    account: AccountScope,
    id: Types.ObjectId,
    messages: readonly { readonly parts: number; readonly sim?: Types.ObjectId }[],
  ): Promise<void> {
    const device = messages.length > 0 && (await this.devices.find(account, id));
    if (!device) return;
    const now = this.clock.now();
    const present = await this.sims.listPresent(account, id);
    const withOwnPace = present.filter(hasOwnPace);
    for (const { _id, limits } of withOwnPace) {
      const parts = sum(messages, (message) => (message.sim?.equals(_id) ? message.parts : 0));
      const { partsPerMinute } = limits ?? {};
      if (parts === 0 || partsPerMinute === undefined) continue;
      await this.usages.change(account, _id, (usage) => ({
        usage: drawParts(usage, partsPerMinute, parts, now),
        result: undefined,
      }));
    }
    const others = messages.filter(({ sim }) => !withOwnPace.some(({ _id }) => sim?.equals(_id)));
    await this.drawPhonePace(
      device,
      others.map(({ parts }) => ({ parts, drawsFromPhonePace: true })),
    );
  }

  private async choose(
    device: Device,
    present: readonly SimRecord[],
    named: number | undefined,
  ): Promise<PhoneSimChoice> {
    const reported = device.simInfo?.sims ?? [];
    const isPresent = present.some(({ subscriptionId }) => subscriptionId === named);
    if (named === undefined || reported.length === 0 || isPresent)
      return choosePhoneSim(device, present, named);
    const account = accountScope(device.user);
    const listed = reported.filter(({ subscriptionId }) => subscriptionId === named);
    const keys = keyedReports(device._id, listed).flatMap((report) => report.keys);
    const [byKey] = await this.sims.listByKeys(account, keys);
    const sim = byKey ?? (await this.sims.findBySubscription(account, device._id, named));
    // A reported SIM may have no record: its report is being stored, or the account has too many.
    if (!sim && listed.length > 0) return {};
    return { reason: 'sim_absent', ...(sim && { sim: sim._id }) };
  }

  /** Messages of SIMs with a pace of their own do not wait for that of the phone. */
  private async byPhonePace(
    device: Device,
    chosen: readonly ChosenMessage[],
    pacedAs: PacedAs | undefined,
    now: Date,
  ): Promise<Paced> {
    const { partsPerMinute = DEFAULT_PARTS_PER_MINUTE } = device;
    const paced = chosen.filter(({ sim }) => !hasOwnPace(sim));
    if (!pacedAs || partsPerMinute === null || paced.length === 0) return { leaving: chosen, held: [] };
    const pace = paceOf(partsPerMinute);
    if (pacedAs === 'small-send') return this.bookPhonePace(device, pace, chosen, now);
    const until = waveEnd(pace, device, paced, now);
    if (!until) return { leaving: chosen, held: [] };
    return { leaving: chosen.filter(({ sim }) => hasOwnPace(sim)), held: paced.map(heldForPace(until)) };
  }

  /** Books the parts of the messages of a small send, each once: a message that waits keeps its slot. */
  private async bookPhonePace(
    device: Device,
    pace: Pace,
    chosen: readonly ChosenMessage[],
    now: Date,
  ): Promise<Paced> {
    const slots = new Map<ChosenMessage, Date | undefined>();
    const unbooked: ChosenMessage[] = [];
    for (const each of chosen) {
      const { paceSlot } = each.message;
      if (hasOwnPace(each.sim)) continue;
      if (paceSlot?.device.equals(device._id) && isSlotKept(paceSlot.at.getTime(), now.getTime()))
        slots.set(each, paceSlot.at);
      else unbooked.push(each);
    }
    if (unbooked.length > 0) {
      const parts = unbooked.map(({ message }) => message.parts);
      const bookedMs = sum(parts, (each) => occupiedMs(pace, each));
      const before = await this.devices.bookPace(device._id, bookedMs, now);
      const times = slotsOf(pace, before, parts, now.getTime());
      for (const [index, each] of unbooked.entries()) {
        const at = times?.[index];
        slots.set(each, at === undefined ? undefined : new Date(at));
      }
    }
    const isLeaving = (each: ChosenMessage) => {
      const at = slots.get(each);
      return at ? at <= now : !slots.has(each);
    };
    const drawn = (each: ChosenMessage) => (unbooked.includes(each) ? 'now' : 'before');
    return {
      leaving: chosen
        .filter(isLeaving)
        .map((each) => ({ ...each, ...(slots.has(each) && { drawn: drawn(each) }) })),
      held: chosen
        .filter((each) => !isLeaving(each))
        .map((each) => {
          const at = slots.get(each);
          if (at) return { ...heldForPace(at)(each), paceSlot: { device: device._id, at } };
          const retryAt = new Date(now.getTime() + BOOKED_UP_RETRY_MS);
          return { id: each.message.id, reason: 'parts_per_minute', retryAt };
        }),
    };
  }

  /** @returns the messages that a SIM takes: all while it is healthy, else those without a pool and the canary. */
  private async claimCanaries(
    sim: SimRecord,
    chosen: readonly ChosenMessage[],
  ): Promise<readonly ChosenMessage[]> {
    if (breakerState(sim.health?.breaker, this.clock.now()) === 'closed') return chosen;
    const taken: ChosenMessage[] = [];
    for (const each of chosen) {
      const { isChosenByPool, recipient } = each.message;
      const canary = isChosenByPool ? await this.health.leaseCanary(sim._id, recipient) : 'closed';
      if (canary) taken.push(canary === 'closed' ? each : { ...each, canary });
    }
    return taken;
  }

  private async reserve(
    sim: SimRecord,
    limits: SimLimits,
    chosen: readonly ChosenMessage[],
    now: Date,
  ): Promise<Decided> {
    const reservationId = new Types.ObjectId();
    const candidates = chosen.map(({ message }): LimitCandidate => ({
      id: message.id,
      parts: message.parts,
      isUrgent: message.isUrgent,
      recipient: limits.recipientsPerMonth === undefined ? '' : hashRecipient(message.recipient),
    }));
    const decision = await this.usages.change(accountScope(sim.user), sim._id, (usage) => {
      if (usage.mergedInto) return { usage, result: undefined };
      const result = decide(usage, limits, candidates, reservationId, now);
      return { usage: result.usage, result };
    });
    const retryAt = new Date(now.getTime() + RETRY_INTERVAL_MS);
    if (!decision) {
      // The record that continues it is chosen next time.
      return {
        admitted: [],
        held: chosen.map(({ message: { id } }) => ({ id, reason: 'sim_absent', retryAt })),
      };
    }
    // Before they are held back: should the process die here, they are decided on again.
    for (const reached of newlyReached(sim, decision.waiting))
      await this.sims.raiseLimitReached(sim, reached, now);
    const waiting = new Map(decision.waiting.map((each) => [each.id, each]));
    return {
      admitted: chosen
        .filter(({ message }) => !waiting.has(message.id))
        .map((each) => ({ ...admittedOf(each), reservationId })),
      held: decision.waiting.map((each: WaitingCandidate) => ({
        ...each,
        sim: sim._id,
        retryAt: each.until,
      })),
    };
  }
}

const admittedOf = ({
  message: { id, parts },
  sim,
  subscriptionId,
  canary,
  drawn,
}: ChosenMessage): AdmittedMessage => ({
  id,
  parts,
  drawsFromPhonePace: !hasOwnPace(sim) && !drawn,
  usesPhonePace: !hasOwnPace(sim),
  isNewlyBooked: drawn === 'now',
  ...(sim && { sim: sim._id }),
  ...(subscriptionId !== undefined && { chosenSubscriptionId: subscriptionId }),
  ...(canary && { canary }),
});

const heldForPace =
  (until: Date) =>
  ({ message: { id }, sim }: ChosenMessage): HeldMessage => ({
    id,
    reason: 'parts_per_minute',
    until,
    retryAt: until,
    ...(sim && { sim: sim._id }),
  });

/** Until when the pace of a phone holds back a wave, which leaves like one long text; undefined if not at all. */
function waveEnd(
  pace: Pace,
  { pacedUntil }: Device,
  wave: readonly ChosenMessage[],
  now: Date,
): Date | undefined {
  const parts = sum(wave, ({ message }) => message.parts);
  const until = Math.ceil(mayLeaveAt(pace, pacedUntil, parts, now.getTime()));
  return until > now.getTime() ? new Date(until) : undefined;
}
