import { Types } from 'mongoose';
import { Registry } from 'prom-client';
import { accountScope } from '../../src/auth/account-scope';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/common/durations';
import { groupBy } from '../../src/common/group-by';
import type { Device } from '../../src/devices/store/device.schema';
import type { DevicesRepository } from '../../src/devices/store/devices.repository';
import {
  NEW_SIM_HEALTH,
  recordOutcomes,
  type SimHealth,
  summarizeHealth,
} from '../../src/devices/sims/health/sim-health';
import type { SimHealthRepository } from '../../src/devices/sims/sim-health.repository';
import { SimHealthService } from '../../src/devices/sims/sim-health.service';
import { clearFreedRoom } from '../../src/devices/sims/limits/admission';
import { DEFAULT_PARTS_PER_MINUTE, drawTime, occupiedMs, paceOf } from '../../src/devices/pace/token-bucket';
import { POOL_STRATEGIES } from '../../src/devices/sims/pools/choose-sim';
import type { Pool } from '../../src/devices/sims/pools/pool.schema';
import type { PoolsRepository } from '../../src/devices/sims/pools/pools.repository';
import { type HeldMessage, SimAdmission } from '../../src/devices/sims/sim-admission.service';
import type { SimUsageRepository } from '../../src/devices/sims/sim-usage.repository';
import type { SimUsage } from '../../src/devices/sims/schemas/sim-usage.schema';
import type { SimLimits, SimRecord } from '../../src/devices/sims/schemas/sim.schema';
import type { SimsRepository } from '../../src/devices/sims/sims.repository';
import { DispatchOutcomes } from '../../src/gateway/dispatch/dispatch-outcomes.service';
import type { DispatchQueue } from '../../src/gateway/waves/dispatch.queue';
import type { DispatchOutcomesRepository } from '../../src/gateway/dispatch/dispatch-outcomes.repository';
import type { PushClaimsRepository } from '../../src/gateway/dispatch/push-claims.repository';
import type { WavesRepository } from '../../src/gateway/waves/waves.repository';
import { PhoneDispatcher } from '../../src/gateway/dispatch/phone-dispatcher.service';
import type { FetchWaits } from '../../src/gateway/dispatch/fetch-waits.service';
import type { MessageOffers } from '../../src/gateway/dispatch/message-offers.service';
import type { ConnectionRecorder } from '../../src/devices/connection/connection-recorder.service';
import type { PushCommand } from '../../src/push/transport/push-transport';
import type { PushClient } from '../../src/push/push-client.service';
import type { GroupPlanner } from '../../src/gateway/dispatch/group-planner.service';
import { WaveDispatcher } from '../../src/gateway/dispatch/wave-dispatcher.service';
import type { DispatchPermission } from '../../src/gateway/dispatch/dispatch-permission.service';
import type { MessageMoves } from '../../src/gateway/routing/message-moves.service';
import { MessageRouter } from '../../src/gateway/routing/message-router.service';
import type { PausedMessagesRepository } from '../../src/gateway/routing/paused-messages.repository';
import type { PoolMembersReader } from '../../src/gateway/senders/pool-members.service';
import type { PoolMessagesRepository } from '../../src/gateway/senders/pool-messages.repository';
import type { PoolMember } from '../../src/gateway/senders/pool-sim';
import { PoolViews } from '../../src/gateway/senders/pool-views.service';
import { assignToPool } from '../../src/gateway/senders/assignment';
import type { SendEntry } from '../../src/gateway/send-input/send-validation';
import type { WaitingMessagesRepository } from '../../src/gateway/routing/waiting-messages.repository';
import { MessageAdmission } from '../../src/gateway/routing/message-admission.service';
import type { Batch } from '../../src/messages/batch.schema';
import type { BatchesRepository } from '../../src/messages/batches.repository';
import { MAX_ENDED_ATTEMPTS, MOVE_DELAY_MS } from '../../src/messages/ended-attempt';
import type { MessageChanges } from '../../src/messages/changes/message-changes.service';
import type { OutgoingMessage } from '../../src/messages/message.schema';
import type { OutboxQueue } from '../../src/messages/outbox/outbox.queue';
import { partsOf } from '../../src/messages/text/segments';
import type { PushResult } from '../../src/push/transport/push-transport';
import { type Left, LimitsOracle } from './limits-oracle';
import { Random } from './random';

/** How far a bucket, whose state is a fraction of a millisecond, may deviate. */
const TOLERANCE_MS = 2;

const MAX_RECHECK_MS = 10 * MINUTE_MS;
/** What another worker was faster with is routed again. */
const REROUTE_MS = 5 * SECOND_MS;
const CANARY_TIMEOUT_MS = 10 * MINUTE_MS;
const MAX_ROUNDS_PER_EVENT = 6;

const STARTS = [
  '2026-03-28T22:00:00Z', // Europe springs forward
  '2026-10-24T22:00:00Z', // and back
  '2026-04-04T13:00:00Z', // Lord Howe, by half an hour
  '2026-04-23T20:00:00Z', // Cairo, at midnight
  '2028-02-28T12:00:00Z',
  '2026-02-27T20:00:00Z',
  '2026-01-30T23:00:00Z',
];
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Africa/Cairo'];

/** As the sender may write it, and in comparable form. */
const NUMBERS = [
  ['+491511000001', '+491511000001'],
  ['01511000001', '+491511000001'],
  ['+491511000002', '+491511000002'],
  ['+491511000003', '+491511000003'],
  ['01511000003', '+491511000003'],
  ['+12125550101', '+12125550101'],
  ['+12125550102', '+12125550102'],
  ['+8613800138000', '+8613800138000'],
] as const;
const PEER_NUMBERS = new Map<string, string>(NUMBERS);
const PREFIXES = ['+49', '+1', '+1212', '+86'];

interface WorldPhone {
  readonly device: Device;
  /** Of what it was handed for SIMs without a pace of their own. */
  readonly oracle: LimitsOracle;
  isReachable: boolean;
}

interface WorldSim {
  readonly record: SimRecord;
  readonly oracle: LimitsOracle;
  phone: WorldPhone;
  usage: SimUsage;
  health: SimHealth;
  /** The last message it was handed while its breaker was not closed. */
  canary?: { readonly message: OutgoingMessage; readonly at: number };
  readonly isBlocked: boolean;
}

/** What happened when the waves that are due were dispatched. */
interface Round {
  /** Whether several workers dispatch its waves at the same time. */
  readonly isConcurrent: boolean;
  readonly boundTo: ReadonlyMap<OutgoingMessage, WorldSim>;
  readonly held: Map<OutgoingMessage, HeldMessage>;
  readonly left: Map<OutgoingMessage, WorldSim>;
  /** SIMs of which room became free. */
  readonly freed: Set<WorldSim>;
  /** SIMs that had a canary, if only for a while. */
  readonly canaries: Set<WorldSim>;
  /** The first message that waits for the pace of a SIM; others may wait behind it. */
  readonly queued: Map<WorldSim, OutgoingMessage>;
  /** SIMs of which another worker took the room that a message was to have; it is routed again soon. */
  readonly contested: Set<WorldSim>;
}

/** The methods of a component that a test needs. */
const stub = <T>(methods: Partial<T>) => methods as T;

/**
 * A pool with its SIMs and phones, and random sends, failures and jumps of the clock. The components that route, admit, claim and
 * push messages are the real ones, on records in memory. What they do is checked against everything that ever left.
 */
export class PoolWorld {
  private readonly random: Random;
  private readonly user = new Types.ObjectId();
  private readonly phones: WorldPhone[];
  private readonly sims: WorldSim[];
  private readonly pool: Pool;
  private readonly batches = new Map<string, Batch>();
  private readonly messages: OutgoingMessage[] = [];
  private readonly messagesById = new Map<string, OutgoingMessage>();
  private readonly counted = new Map<OutgoingMessage, Left>();
  private readonly lastSims = new Map<string, WorldSim>();
  private outcomes: { readonly sim: WorldSim; readonly message: OutgoingMessage }[] = [];
  private readonly views: PoolViews;
  private readonly dispatcher: WaveDispatcher;
  private time: number;
  private round: Round | undefined;
  /** How often each thing happened, so that a test can tell that it did. */
  readonly seen = { left: 0, held: 0, moved: 0, failed: 0, expired: 0, refused: 0, canaries: 0, sticky: 0 };

  constructor(readonly seed: number) {
    this.random = new Random(seed);
    this.time = Date.parse(this.random.pick(STARTS)) + this.random.int(0, 3 * HOUR_MS);
    this.phones = this.random.list(1, 4, () => this.newPhone());
    this.sims = this.random.list(1, this.random.pick([2, 6]), (index) => this.newSim(index));
    this.pool = this.newPool();
    this.views = this.newViews();
    this.dispatcher = this.newDispatcher();
  }

  /** @throws Error for the first rule that is broken. */
  async run(): Promise<void> {
    for (let events = this.random.int(4, 12); events > 0; events--) {
      const end = this.time + this.elapsed();
      for (let rounds = 0; rounds < MAX_ROUNDS_PER_EVENT; rounds++) {
        const next = Math.min(...this.waiting().map(({ nextDispatchAt }) => nextDispatchAt?.getTime() ?? 0));
        if (next > end) break;
        this.time = Math.max(this.time, next);
        await this.dispatchDue();
      }
      this.time = end;
      this.change();
      for (let sends = this.random.int(0, 3); sends > 0; sends--) await this.send();
      await this.dispatchDue();
      await this.report();
    }
  }

  private get now(): Date {
    return new Date(this.time);
  }

  // What there is.

  private id(): Types.ObjectId {
    return new Types.ObjectId(Array.from({ length: 24 }, () => this.random.int(0, 15).toString(16)).join(''));
  }

  private newPhone(): WorldPhone {
    const partsPerMinute = this.random.pick([undefined, undefined, null, 6, 60]);
    const device = {
      _id: this.id(),
      user: this.user,
      enabled: true,
      pushTransport: 'fcm',
      smsSendDelaySeconds: this.random.pick([0, 0, 3]),
      ...(partsPerMinute !== undefined && { partsPerMinute }),
      systemInfo: { timezone: this.random.pick(ZONES) },
    } as Device;
    const paced =
      partsPerMinute === null ? {} : { partsPerMinute: partsPerMinute ?? DEFAULT_PARTS_PER_MINUTE };
    return { device, oracle: new LimitsOracle(paced), isReachable: this.random.chance(0.9) };
  }

  private newSim(index: number): WorldSim {
    const phone = this.random.pick(this.phones);
    const limits = this.random.chance(0.85) ? this.newLimits() : undefined;
    const _id = this.id();
    const record = {
      _id,
      user: this.user,
      key: _id.toHexString(),
      device: phone.device._id,
      isPresent: true,
      enabled: true,
      subscriptionId: index + 1,
      ...(limits && { limits }),
    } as SimRecord;
    const usage = { _id, user: this.user, version: _id, reservations: [] };
    const oracle = new LimitsOracle(limits ?? {});
    const isBlocked = this.random.chance(0.2);
    return { record, oracle, phone, usage, health: this.newHealth(), isBlocked };
  }

  private newLimits(): SimLimits {
    const maybe = <K extends keyof SimLimits>(key: K, share: number, value: () => SimLimits[K]) =>
      this.random.chance(share) ? { [key]: value() } : {};
    return {
      ...maybe('partsPerMinute', 0.4, () => this.random.int(1, 100)),
      ...maybe('messagesPerHour', 0.4, () => this.random.int(1, 6)),
      ...maybe('messagesPerDay', 0.4, () => this.random.int(1, 12)),
      ...maybe('messagesPerMonth', 0.3, () => this.random.int(1, 25)),
      ...maybe('recipientsPerMonth', 0.4, () => this.random.int(1, 4)),
      ...maybe('monthStartsOn', 0.5, () => this.random.int(1, 31)),
      ...maybe('timeZone', 0.7, () => this.random.pick(ZONES)),
    };
  }

  private newHealth(): SimHealth {
    if (this.random.chance(0.7)) return NEW_SIM_HEALTH;
    const canaryDueAt = new Date(this.time + this.random.int(-30, 60) * MINUTE_MS);
    const openedAt = new Date(canaryDueAt.getTime() - HOUR_MS);
    const breaker = { kind: 'failures', openedAt, backoffMs: HOUR_MS, canaryDueAt, successes: 0 } as const;
    return { ...NEW_SIM_HEALTH, breaker };
  }

  private newPool(): Pool {
    const ids = this.sims.map(({ record }) => record._id);
    const some = () => ids.filter(() => this.random.chance(0.6));
    const prefixes = this.random.chance(0.4) ? PREFIXES.filter(() => this.random.chance(0.4)) : [];
    return {
      _id: this.id(),
      user: this.user,
      name: 'All',
      sims: ids,
      strategy: this.random.pick(POOL_STRATEGIES),
      ...(prefixes.length > 0 && { countries: Object.fromEntries(prefixes.map((each) => [each, some()])) }),
      turn: this.random.int(0, 9),
      createdAt: this.now,
      updatedAt: this.now,
    };
  }

  // The components, on records in memory.

  private readonly clock = { now: () => this.now };

  private readonly health = new SimHealthService(
    stub<SimHealthRepository>({
      change: async (ids, apply) => {
        await this.roundTrip();
        for (const id of ids) {
          const sim = this.simOf(id);
          sim.health = apply(sim.health, id);
          if (sim.health.breaker?.canary) this.round?.canaries.add(sim);
        }
        return [];
      },
    }),
    new Registry(),
    this.clock,
  );

  /** What waits for a database lets others go on, sometimes several of them. */
  private async roundTrip(): Promise<void> {
    for (let turns = this.random.int(1, 4); turns > 0; turns--) await Promise.resolve();
  }

  private newViews(): PoolViews {
    return new PoolViews(
      stub<PoolsRepository>({
        find: async () => {
          await this.roundTrip();
          return copy(this.pool);
        },
        addTurns: async (_, __, count) => {
          await this.roundTrip();
          this.pool.turn = (this.pool.turn ?? 0) + count;
        },
      }),
      stub<PoolMembersReader>({
        load: async () => {
          await this.roundTrip();
          return this.sims.map((sim) => this.memberOf(sim));
        },
      }),
      stub<PoolMessagesRepository>({
        findPreviousSims: async (_, __, numbers) => {
          await this.roundTrip();
          return new Map(numbers.flatMap((number) => this.previousSimOf(number)));
        },
      }),
      this.clock,
    );
  }

  private memberOf({ record, phone, health, usage }: WorldSim): PoolMember {
    const { device, isReachable } = phone;
    return {
      sim: Object.assign(copy(record), { health }),
      ...(record.isPresent && { device: copy(device) }),
      isReachable: isReachable && record.isPresent,
      health: summarizeHealth(health, this.now),
      usage,
    };
  }

  private previousSimOf(number: string): [string, string][] {
    const sim = this.lastSims.get(number);
    return sim ? [[number, sim.record._id.toHexString()]] : [];
  }

  private newDispatcher(): WaveDispatcher {
    const devices = stub<DevicesRepository>({
      find: async (_, id) => {
        await this.roundTrip();
        const phone = this.phones.find(({ device }) => device._id.equals(id));
        return phone ? copy(phone.device) : null;
      },
      drawPace: async (id, drawnMs, now) => {
        await this.roundTrip();
        const phone = this.phones.find(({ device }) => device._id.equals(id));
        if (phone) phone.device.pacedUntil = drawTime(phone.device.pacedUntil, drawnMs, now.getTime());
        // Until parts were given back, another worker may have seen too few.
        if (drawnMs < 0) for (const sim of this.sims) if (sim.phone === phone) this.round?.freed.add(sim);
      },
      // Small sends find their phones rested, so that none waits for a slot: the oracle knows only what left.
      bookPace: async (id, bookedMs, now) => {
        await this.roundTrip();
        const phone = this.phones.find(({ device }) => device._id.equals(id));
        if (phone) phone.device.pacedUntil = drawTime(phone.device.pacedUntil, bookedMs, now.getTime());
        return {};
      },
    });
    const queue = stub<DispatchQueue>({ enqueue: () => Promise.resolve(true) });
    const outbox = stub<OutboxQueue>({ notify: () => undefined });
    const changes = stub<MessageChanges>({ recordAll: () => undefined });
    const outcomes = new DispatchOutcomes(
      this.newOutcomesRepository(),
      devices,
      queue,
      outbox,
      changes,
      stub<ConnectionRecorder>({ expectAnswer: () => undefined }),
      this.clock,
    );
    const admission = new SimAdmission(
      stub<SimsRepository>({
        listPresent: async (_, device) => {
          await this.roundTrip();
          const present = this.sims.filter(({ record }) => record.isPresent && record.device?.equals(device));
          return present.map(({ record, health }) => Object.assign(copy(record), { health }));
        },
        raiseLimitReached: () => this.roundTrip(),
        markForReview: () => this.roundTrip(),
      }),
      stub<SimUsageRepository>({
        change: async (_, id, apply) => {
          await this.roundTrip();
          const sim = this.simOf(id);
          const { usage, result } = apply(sim.usage);
          sim.usage = usage;
          return result;
        },
      }),
      devices,
      this.health,
      this.clock,
    );
    const waitingMessages = stub<WaitingMessagesRepository>({
      hold: async (held, _, now) => {
        await this.roundTrip();
        for (const each of held) this.hold(each, now);
      },
      fail: async (read, code) => {
        await this.roundTrip();
        for (const { _id } of read) this.fail(this.messageOf(_id), code);
        return read.length;
      },
    });
    const waiting = new MessageAdmission(admission, waitingMessages, queue, outbox, changes, this.clock);
    const batches = stub<BatchesRepository>({ addDevices: () => this.roundTrip() });
    const moves = stub<MessageMoves>({ replacementOf: () => Promise.resolve(undefined) });
    const router = new MessageRouter(devices, this.views, batches, waiting, moves, this.clock);
    const pushClient = stub<PushClient>({
      usesOffers: () => false,
      push: async ({ deviceId }, commands) => {
        await this.roundTrip();
        return commands.map((command) => this.push(deviceId, this.messageOf(smsIdOf(command))));
      },
    });
    const phoneDispatcher = new PhoneDispatcher(
      this.newClaimsRepository(),
      waiting,
      admission,
      pushClient,
      outcomes,
      stub<MessageOffers>({}),
      stub<FetchWaits>({}),
      this.clock,
    );
    return new WaveDispatcher(
      batches,
      stub<WavesRepository>({}),
      stub<PausedMessagesRepository>({}),
      stub<GroupPlanner>({}),
      router,
      phoneDispatcher,
      stub<DispatchPermission>({ permitted: (_, due) => Promise.resolve(due) }),
      this.clock,
    );
  }

  private newClaimsRepository(): PushClaimsRepository {
    return stub<PushClaimsRepository>({
      claim: async (claims, _, now) => {
        await this.roundTrip();
        const claimed = claims.filter((each) => this.claim(each, now));
        return new Set(claimed.map(({ id }) => id.toHexString()));
      },
    });
  }

  private newOutcomesRepository(): DispatchOutcomesRepository {
    return stub<DispatchOutcomesRepository>({
      moveToDispatched: async (dispatched) => {
        await this.roundTrip();
        for (const { _id } of dispatched) {
          const message = this.messageOf(_id);
          message.status = 'dispatched';
          delete message.pushStartedAt;
          delete message.unavailableSince;
        }
      },
      endAttempts: async (tried, device, dueAt, now, attempt) => {
        await this.roundTrip();
        const ended = tried
          .map(({ _id }) => this.messageOf(_id))
          .filter((each) => each.device.equals(device));
        for (const message of ended) {
          if (attempt) message.attempts = [...(message.attempts ?? []), { device, ...attempt, endedAt: now }];
          if (attempt?.outcome !== 'refused') message.unavailableSince ??= now;
          message.moveDueAt = dueAt;
          message.nextDispatchAt = dueAt;
          delete message.pushStartedAt;
        }
        return ended.length;
      },
      fail: async (failed) => {
        await this.roundTrip();
        for (const { _id } of failed) this.end(this.messageOf(_id));
        return failed.length;
      },
    });
  }

  private hold(held: HeldMessage, now: Date): void {
    const message = this.messageOf(held.id);
    if (!isUnclaimed(message) || !message.nextDispatchAt || message.nextDispatchAt > now) return;
    message.waitingFor = { reason: held.reason, ...(held.until && { until: held.until }) };
    message.nextDispatchAt = held.retryAt;
    message.paceSlot = held.paceSlot;
    if (message.moveDueAt) message.moveDueAt = held.retryAt;
    this.seen.held += 1;
    this.round?.held.set(message, held);
    if (!held.sim || !this.round) return;
    const sim = this.simOf(held.sim);
    const isSoon = held.retryAt.getTime() - this.time <= REROUTE_MS;
    if (this.round.isConcurrent && isSoon) this.round.contested.add(sim);
    if (held.reason !== 'parts_per_minute') return;
    if (!this.round.queued.has(sim)) this.round.queued.set(sim, message);
  }

  /** @returns whether the message is claimed. */
  private claim(
    { id, device, dispatchAttempts, sim: simId, route }: Parameters<PushClaimsRepository['claim']>[0][number],
    now: Date,
  ): boolean {
    const message = this.messageOf(id);
    if (!simId || !route) throw this.broken(message, 'left without a SIM');
    const sim = this.simOf(simId);
    // Sometimes it was cancelled meanwhile.
    if (isUnclaimed(message) && this.random.chance(0.03)) this.end(message);
    const isValid = !message.validUntil || message.validUntil > now;
    const isDue = message.nextDispatchAt !== undefined && message.nextDispatchAt <= now;
    const isClaimed =
      isUnclaimed(message) && isDue && isValid && (message.dispatchAttempts ?? 0) === dispatchAttempts;
    if (isClaimed) this.assertMayLeave(message, sim, device);
    const left = sim.oracle.record(partsOf(message), message.peerNumber, this.time);
    this.counted.set(message, left);
    if (!isClaimed) {
      left.isFreed = true;
      // What has expired must not take room from others.
      if (isValid) this.round?.freed.add(sim);
      return false;
    }
    if (sim.record.limits?.partsPerMinute === undefined)
      sim.phone.oracle.record(occupiedParts(sim.phone, partsOf(message)), '', this.time);
    if (breakerOf(sim)) {
      sim.canary = { message, at: this.time };
      this.seen.canaries += 1;
    }
    message.pushStartedAt = now;
    message.device = device;
    message.sim = simId;
    message.dispatchAttempts = (message.dispatchAttempts ?? 0) + 1;
    if (route.choice) message.choice = route.choice;
    if (route.simSubscriptionId !== undefined) message.simSubscriptionId = route.simSubscriptionId;
    delete message.waitingFor;
    delete message.moveDueAt;
    this.round?.left.set(message, sim);
    this.seen.left += 1;
    return true;
  }

  private push(device: Types.ObjectId, message: OutgoingMessage): PushResult {
    const sim = this.simOf(message.sim);
    if (!sim.phone.device._id.equals(device)) throw this.broken(message, 'was pushed to another phone');
    const dice = this.random.int(0, 99);
    if (dice < 88) {
      this.lastSims.set(message.peerNumber, sim);
      this.outcomes.push({ sim, message });
      return { outcome: dice < 85 ? 'accepted' : 'doubt' };
    }
    const left = this.counted.get(message);
    if (left) left.isFreed = true;
    this.round?.freed.add(sim);
    if (sim.canary?.message === message) delete sim.canary;
    this.seen.refused += 1;
    if (dice < 94) return { outcome: 'unavailable' };
    return { outcome: 'refused', code: 'PUSH_REFUSED', isTokenInvalid: false };
  }

  private fail(message: OutgoingMessage, code: string): void {
    if (!isUnclaimed(message)) return;
    const isOver = (message.attempts?.length ?? 0) >= MAX_ENDED_ATTEMPTS;
    const remaining = this.sims.filter((sim) => sim.record.isPresent && this.mayEverTake(message, sim));
    if (!isOver && remaining.length > 0)
      throw this.broken(message, `failed with ${code} although a SIM is left`);
    this.seen.failed += 1;
    this.end(message);
  }

  private end(message: OutgoingMessage): void {
    message.status = 'failed';
    delete message.nextDispatchAt;
    delete message.moveDueAt;
    delete message.pushStartedAt;
  }

  // What happens.

  private elapsed(): number {
    const dice = this.random.int(0, 9);
    if (dice < 4) return this.random.int(0, 2 * MINUTE_MS);
    if (dice < 7) return this.random.int(0, 3 * HOUR_MS);
    if (dice < 9) return this.random.int(0, 20 * DAY_MS);
    return this.random.int(-2 * HOUR_MS, 0);
  }

  private change(): void {
    for (const phone of this.phones) {
      if (this.random.chance(0.25)) phone.isReachable = this.random.chance(0.7);
      if (this.random.chance(0.1)) phone.device.enabled = this.random.chance(0.7);
      if (!this.random.chance(0.1)) continue;
      if (this.random.chance(0.5)) phone.device.drainingSince = this.now;
      else delete phone.device.drainingSince;
    }
    for (const { record } of this.sims) {
      if (this.random.chance(0.1)) record.enabled = this.random.chance(0.7);
      if (this.random.chance(0.05)) record.isPresent = this.random.chance(0.7);
    }
    this.reviewFreedRoom();
  }

  private reviewFreedRoom(): void {
    for (const sim of this.sims.filter(({ usage }) => usage.hasFreedRoom)) {
      sim.usage = clearFreedRoom(sim.usage, this.now);
      for (const message of this.messages.filter((each) => each.sim?.equals(sim.record._id)))
        if (message.status === 'pending' && message.waitingFor && isUnclaimed(message))
          message.nextDispatchAt = this.now;
    }
  }

  private async send(): Promise<void> {
    const { random, pool } = this;
    const isLarge = random.chance(0.3);
    const isUrgent = random.chance(0.2);
    const recipients = random.list(1, random.chance(0.3) ? 1 : 8, () => random.pick(NUMBERS)[0]);
    const parts = random.pick([1, 1, 1, random.int(1, 4), random.int(1, 16)]);
    const scheduledAt = random.chance(0.2) ? this.time + random.int(0, HOUR_MS) : this.time;
    const validUntil = new Date(scheduledAt + random.pick([20 * SECOND_MS, 5 * MINUTE_MS, 2 * HOUR_MS]));
    const entry: SendEntry = { message: parts === 1 ? 'Hello' : 'x'.repeat(153 * parts), parts, recipients };
    const account = accountScope(this.user);
    const opened = await this.views.open(account, pool._id);
    if (!opened) throw new Error('The pool is gone');
    const numbers = recipients.map((each) => PEER_NUMBERS.get(each) ?? each);
    const view = await this.views.reopen(account, opened, numbers);
    const isSingleUrgent = isUrgent && recipients.length === 1;
    const assigned = await assignToPool(view, {
      entries: [entry],
      isSingleUrgent,
      withoutEncryption: [],
      peerNumberOf: (recipient) => PEER_NUMBERS.get(recipient) ?? recipient,
    });
    if (!('senders' in assigned)) return;
    await assigned.recordRoundRobinTurns?.();
    const batchId = this.id();
    const sent = recipients.map((recipient, index) => {
      const { device, sim, reason } = assigned.senderOf(entry, index);
      const message = {
        _id: this.id(),
        user: this.user,
        smsBatch: batchId,
        status: 'pending',
        message: entry.message,
        recipient,
        peerNumber: PEER_NUMBERS.get(recipient),
        device: device._id,
        pool: pool._id,
        ...(sim && { sim: sim._id, simSubscriptionId: sim.subscriptionId, isSimChosen: true }),
        ...(reason && { choice: { reason, at: this.now } }),
        ...(isUrgent && { priority: 'urgent' }),
        ...(random.chance(0.35) && { validUntil }),
        createdAt: this.now,
      } as OutgoingMessage;
      return message;
    });
    const [only] = sent;
    if (only && sent.length === 1 && only.sim) this.assertSticky(only, this.simOf(only.sim));
    this.plan(batchId, sent, { isLarge, isUrgent, scheduledAt });
  }

  /** Each lane has its waves; those of a large send follow each other. */
  private plan(
    _id: Types.ObjectId,
    sent: readonly OutgoingMessage[],
    { isLarge, isUrgent, scheduledAt }: { isLarge: boolean; isUrgent: boolean; scheduledAt: number },
  ): void {
    const groups: Batch['groups'] = [];
    let wave = 0;
    for (const ofLane of groupBy(sent, (each) => laneOf(this.simOf(each.sim))).values()) {
      const size = isLarge ? Math.ceil(ofLane.length / 2) : ofLane.length;
      const waves = Math.ceil(ofLane.length / size);
      groups.push({ count: ofLane.length, firstWave: wave, waves, planned: true });
      for (const [index, message] of ofLane.entries()) {
        message.wave = wave + Math.floor(index / size);
        message.nextDispatchAt = new Date(scheduledAt + Math.floor(index / size) * 5 * SECOND_MS);
        this.messages.push(message);
        this.messagesById.set(message._id.toHexString(), message);
      }
      wave += waves;
    }
    const hour = () => String(this.random.int(0, 23)).padStart(2, '0');
    const quietHours = this.random.chance(0.15) && {
      quietHours: { from: `${hour()}:00`, to: `${hour()}:30` },
    };
    this.batches.set(_id.toHexString(), {
      _id,
      user: this.user,
      device: sent[0]?.device,
      pool: this.pool._id,
      recipientCount: sent.length,
      groups,
      ...(isUrgent && { priority: 'urgent' }),
      ...quietHours,
    } as Batch);
  }

  /** What the phones report about messages. */
  private async report(): Promise<void> {
    const reported = this.outcomes.filter(() => this.random.chance(0.7));
    this.outcomes = this.outcomes.filter((each) => !reported.includes(each));
    for (const { sim, message } of reported) {
      const isUnsent = this.random.chance(0.1) && partsOf(message) === 1 && message.status === 'dispatched';
      const kind = isUnsent || sim.isBlocked ? 'failed' : 'sent';
      const { peerNumber } = message;
      const code = isUnsent ? '4' : '1';
      const outcome = { sim: sim.record._id, kind, at: this.now, peerNumber, code } as const;
      await this.health.record([outcome]);
      // The service knows it by its number: a late report of an earlier message settles it, too.
      if (sim.canary?.message.peerNumber === peerNumber) delete sim.canary;
      if (isUnsent && !message.moveDueAt) this.moveUnsent(message);
    }
  }

  private moveUnsent(message: OutgoingMessage): void {
    const { device, sim, attempts = [] } = message;
    message.attempts = [...attempts, { device, sim, endedAt: this.now, outcome: 'not_sent', code: '4' }];
    message.moveDueAt = message.nextDispatchAt = new Date(this.time + MOVE_DELAY_MS);
  }

  private expire(): void {
    for (const message of this.waiting()) {
      if (!message.validUntil || message.validUntil > this.now || message.status !== 'pending') continue;
      message.status = 'failed';
      this.seen.expired += 1;
    }
  }

  private waiting(): OutgoingMessage[] {
    return this.messages.filter((message) => isUnclaimed(message) && message.nextDispatchAt);
  }

  /** Dispatches the waves that are due, one after the other or at the same time. */
  private async dispatchDue(): Promise<void> {
    const { now } = this;
    for (const sim of this.sims) sim.health = recordOutcomes(sim.health, [], now);
    // `ExpiryService` may come later.
    if (this.random.chance(0.3)) this.expire();
    const due = this.waiting().filter(({ nextDispatchAt: dueAt }) => dueAt && dueAt <= now);
    const boundTo = new Map(due.map((message) => [message, this.simOf(message.sim)]));
    const isConcurrent = this.random.chance(0.5);
    this.round = {
      isConcurrent,
      boundTo,
      held: new Map(),
      left: new Map(),
      freed: new Set(),
      canaries: new Set(this.sims.filter(({ health }) => health.breaker?.canary)),
      queued: new Map(),
      contested: new Set(),
    };
    const waves = [...groupBy(due, ({ smsBatch, wave }) => `${String(smsBatch)} ${wave}`).values()];
    const dispatch = async (wave: readonly OutgoingMessage[]) => {
      const [first] = wave;
      const batch = this.batches.get(String(first?.smsBatch));
      if (!first || !batch) return;
      const key = { user: batch.user, batch: batch._id, wave: first.wave ?? 0 };
      const read = wave.filter(isUnclaimed).map(copy);
      await this.dispatcher.dispatchDue(batch, key, read);
    };
    if (isConcurrent) await Promise.all(waves.map(dispatch));
    else for (const wave of waves) await dispatch(wave);
    this.check(due);
    this.round = undefined;
  }

  // What has to be true.

  private assertMayLeave(message: OutgoingMessage, sim: WorldSim, device: Types.ObjectId): void {
    const { record, phone, oracle } = sim;
    const attempts = message.attempts ?? [];
    const isBack = attempts.some((each) => each.device.equals(device) && each.outcome !== 'unavailable');
    const rules: [string, boolean][] = [
      ['a disabled SIM', !record.enabled],
      ['a SIM that is not in the phone', !record.isPresent || !phone.device._id.equals(device)],
      ['a disabled phone', !phone.device.enabled],
      ['a draining phone', phone.device.drainingSince !== undefined],
      ['a phone that is not online', !phone.isReachable],
      ['a SIM for other countries', !this.serves(message, sim)],
      ['a phone that had it', isBack],
      ['an unhealthy SIM', !this.mayBeCanary(sim)],
      ['a SIM at its limits', !oracle.hasRoom(message.peerNumber, this.time)],
      ['a SIM without parts', !oracle.hasParts(partsOf(message), this.time, TOLERANCE_MS)],
      ['its phone after its deadline', message.validUntil !== undefined && message.validUntil <= this.now],
    ];
    for (const [rule, isBroken] of rules) if (isBroken) throw this.broken(message, `left by ${rule}`, sim);
  }

  private check(due: readonly OutgoingMessage[]): void {
    const { round } = this;
    if (!round) return;
    for (const message of due) {
      const { nextDispatchAt, validUntil } = message;
      const isExpired = validUntil !== undefined && validUntil <= this.now;
      // Another worker hands the SIM its canary; the scheduler comes later.
      if (round.isConcurrent && round.canaries.size > 0) continue;
      if (isUnclaimed(message) && !isExpired && (!nextDispatchAt || nextDispatchAt <= this.now))
        throw this.broken(message, 'was due, and was not decided on');
    }
    for (const [message, held] of round.held) if (isUnclaimed(message)) this.checkHeld(round, message, held);
    for (const [message, sim] of round.left) this.checkMoved(round, message, sim);
  }

  /** Nothing waits that could go. */
  private checkHeld(
    round: Round,
    message: OutgoingMessage,
    { reason, sim: id, until, retryAt, paceSlot }: HeldMessage,
  ): void {
    // A small send of more than a minute's parts books its slots.
    if (reason === 'quiet_hours' || paceSlot) return;
    const waitMs = retryAt.getTime() - this.time;
    if (waitMs <= 0 || waitMs > MAX_RECHECK_MS)
      throw this.broken(message, `waits for ${reason} and is looked at again in ${waitMs} ms`);
    if (round.isConcurrent && waitMs <= REROUTE_MS) return;
    const holder = id && this.simOf(id);
    const isShort =
      reason === 'parts_per_minute' && until && until.getTime() - this.time < MINUTE_MS + TOLERANCE_MS;
    // Such a wait is no reason to leave the SIM.
    const able = isShort && holder ? [holder] : this.sims;
    for (const sim of able) {
      if (round.freed.has(sim) || round.contested.has(sim)) continue;
      if (round.isConcurrent && round.canaries.has(sim)) continue;
      const first = round.queued.get(sim);
      const isQueued = first && (first !== message || sim.record.limits?.partsPerMinute === undefined);
      if (isQueued) continue;
      if (this.couldTake(message, sim))
        throw this.broken(message, `waits for ${reason} although a SIM could take it`, sim);
    }
  }

  /** A message keeps its SIM while that can take it. */
  private checkMoved(round: Round, message: OutgoingMessage, sim: WorldSim): void {
    const bound = round.boundTo.get(message);
    if (!bound || bound === sim) return;
    this.seen.moved += 1;
    if (this.couldStay(round, message, bound))
      throw this.broken(message, `moved to ${this.nameOf(sim)} although its SIM could take it`, bound);
  }

  private couldStay(round: Round, message: OutgoingMessage, sim: WorldSim): boolean {
    const isBehind = [...round.queued.keys()].some((each) => laneOf(each) === laneOf(sim));
    if (round.freed.has(sim) || round.contested.has(sim) || isBehind) return false;
    const wasTried = message.attempts?.some((each) => each.device.equals(sim.phone.device._id));
    // An urgent message is no canary, if another SIM can take it.
    const isSpared = breakerOf(sim) && message.priority === 'urgent';
    return !wasTried && !isSpared && this.couldTake(message, sim, MINUTE_MS - TOLERANCE_MS);
  }

  /** A message that is sent alone goes where its recipient last heard from. */
  private assertSticky(message: OutgoingMessage, sim: WorldSim): void {
    const previous = message.choice && this.lastSims.get(message.peerNumber);
    if (this.pool.strategy !== 'sticky' || !previous || breakerOf(previous)) return;
    this.seen.sticky += 1;
    if (previous !== sim && this.couldTake(message, previous))
      throw this.broken(
        message,
        `was bound to ${this.nameOf(sim)} and not to the SIM that its recipient heard from`,
        previous,
      );
  }

  /**
   * Whether a SIM can take a message now, by everything that ever left.
   * @param maxWaitMs how long it may wait for parts.
   */
  private couldTake(message: OutgoingMessage, sim: WorldSim, maxWaitMs = -TOLERANCE_MS): boolean {
    const { record, phone, oracle, usage } = sim;
    if (!record.enabled || !record.isPresent || !phone.device.enabled || phone.device.drainingSince)
      return false;
    if (!phone.isReachable || !this.mayEverTake(message, sim) || !this.isHealthyFor(sim)) return false;
    if (!oracle.hasRoom(message.peerNumber, this.time)) return false;
    const parts = partsOf(message);
    if (record.limits?.partsPerMinute === undefined)
      return !this.waitsForPhonePace(message) || phone.oracle.hasParts(parts, this.time, maxWaitMs);
    const isYielding = usage.urgentUntil && usage.urgentUntil > this.now && message.priority !== 'urgent';
    return !isYielding && oracle.hasParts(parts, this.time, maxWaitMs);
  }

  /** Apart from what may change. */
  private mayEverTake(message: OutgoingMessage, sim: WorldSim): boolean {
    const had = (message.attempts ?? []).some(
      ({ device, outcome }) => outcome !== 'unavailable' && device.equals(sim.phone.device._id),
    );
    return !had && this.serves(message, sim);
  }

  private serves({ peerNumber }: OutgoingMessage, { record }: WorldSim): boolean {
    const { countries = {} } = this.pool;
    for (let length = peerNumber.length; length > 0; length--) {
      const sims = countries[peerNumber.slice(0, length)];
      if (sims) return sims.some((id) => id.equals(record._id));
    }
    return true;
  }

  /** A SIM whose breaker is not closed takes one message at a time. */
  private isHealthyFor(sim: WorldSim): boolean {
    const breaker = breakerOf(sim);
    if (!breaker) return true;
    const isTaken = sim.canary && this.time - sim.canary.at < CANARY_TIMEOUT_MS;
    return !isTaken && !breaker.canary && breaker.canaryDueAt <= this.now;
  }

  /** The canary was claimed for the message that leaves. */
  private mayBeCanary({ health, canary }: WorldSim): boolean {
    const breaker = health.breaker?.closedAt ? undefined : health.breaker;
    const isTaken = canary && this.time - canary.at < CANARY_TIMEOUT_MS;
    return !breaker || (!isTaken && breaker.canaryDueAt <= this.now);
  }

  private waitsForPhonePace({ smsBatch, wave = 0, priority }: OutgoingMessage): boolean {
    const groups = this.batches.get(smsBatch.toHexString())?.groups ?? [];
    const isOfSeveral = groups.some(
      ({ firstWave, waves }) => waves > 1 && wave >= firstWave && wave < firstWave + waves,
    );
    return isOfSeveral && priority !== 'urgent';
  }

  private simOf(id: Types.ObjectId | undefined): WorldSim {
    const sim = this.sims.find(({ record }) => id?.equals(record._id));
    if (!sim) throw new Error(`There is no SIM ${String(id)}`);
    return sim;
  }

  private messageOf(id: Types.ObjectId): OutgoingMessage {
    const message = this.messagesById.get(id.toHexString());
    if (!message) throw new Error(`There is no message ${id.toHexString()}`);
    return message;
  }

  private nameOf(sim: WorldSim): string {
    return `SIM ${this.sims.indexOf(sim)} (${JSON.stringify(sim.record.limits ?? {})})`;
  }

  private broken(message: OutgoingMessage, what: string, sim?: WorldSim): Error {
    const index = this.messages.indexOf(message);
    const of = sim ? `: ${this.nameOf(sim)}` : '';
    return new Error(`${this.now.toISOString()}: message ${index} (${partsOf(message)} parts) ${what}${of}`);
  }
}

/** As it is read from the database. */
const copy = <T extends object>(record: T): T => Object.assign({}, record);

const isUnclaimed = ({ status, pushStartedAt, moveDueAt }: OutgoingMessage): boolean =>
  !pushStartedAt && (status === 'pending' || (status === 'dispatched' && moveDueAt !== undefined));

/** The parts that a text draws from the bucket of its phone. */
function occupiedParts({ oracle }: WorldPhone, parts: number): number {
  const { partsPerMinute } = oracle.limits;
  if (partsPerMinute === undefined) return parts;
  const pace = paceOf(partsPerMinute);
  return occupiedMs(pace, parts) / pace.msPerPart;
}

/** What sends one message after the other. */
const laneOf = (sim: WorldSim): WorldSim | WorldPhone =>
  sim.record.limits?.partsPerMinute === undefined ? sim.phone : sim;

const breakerOf = ({ health }: WorldSim) => (health.breaker?.closedAt ? undefined : health.breaker);

/** How many worlds a test runs; `POOL_WORLDS` asks for more. */
export const worldCount = () => Number(process.env.POOL_WORLDS ?? 200);

function smsIdOf(command: PushCommand): Types.ObjectId {
  if (command.kind !== 'sms') throw new Error(`A ${command.kind} was pushed`);
  return new Types.ObjectId(command.id);
}
