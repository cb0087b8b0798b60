import fc from 'fast-check';
import { Types } from 'mongoose';
import type { Device } from '../../devices/store/device.schema';
import { POOL_STRATEGIES } from '../../devices/sims/pools/choose-sim';
import type { Pool } from '../../devices/sims/pools/pool.schema';
import type { SimUsage } from '../../devices/sims/schemas/sim-usage.schema';
import type { SimLimits, SimRecord } from '../../devices/sims/schemas/sim.schema';
import type { OutgoingMessage } from '../../messages/message.schema';
import { routeInPool } from '../routing/pool-route';
import type { PoolMember } from './pool-sim';
import { PoolView } from './pool-view';
import { assignToPool } from './assignment';

const NOW = new Date('2026-03-01T12:00:00Z');
const inSeconds = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);
const NUMBERS = ['+4915112345678', '+4917012345678', '+447700900123', '12345'];

interface MemberFields {
  readonly phone: number;
  readonly isPresent: boolean;
  readonly isEnabled: boolean;
  readonly isReachable: boolean;
  readonly limits: SimLimits;
  readonly used: number;
  readonly fullIn: number;
  readonly freeIn: number;
  readonly health: PoolMember['health'];
}

interface PoolFields {
  readonly phones: readonly Partial<Device>[];
  readonly sims: readonly MemberFields[];
  readonly strategy: Pool['strategy'];
  readonly turn: number;
  /** Indexes of SIMs, by prefix. */
  readonly rules: Readonly<Record<string, readonly number[]>>;
  readonly previous: number | undefined;
}

/** Mostly in order, so that pools have several SIMs that can take a message. */
const rarely = fc.integer({ min: 0, max: 4 }).map((value) => value === 0);
const usually = rarely.map((isRare) => !isRare);
const seconds = fc.integer({ min: -100, max: 300 });

const HEALTH = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      state: fc.constant('closed' as const),
      failureRate: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ state: 'half-open' as const, failureRate: 0.5, canaryDueAt: NOW }) },
  { weight: 1, arbitrary: fc.constant({ state: 'half-open' as const, failureRate: 0.5 }) },
  {
    weight: 1,
    arbitrary: fc.constant({ state: 'open' as const, failureRate: 0.9, canaryDueAt: inSeconds(60) }),
  },
);

const POOLS: fc.Arbitrary<PoolFields> = fc.record({
  phones: fc.array(
    fc.record({
      enabled: usually,
      drainingSince: rarely.map((isDraining) => (isDraining ? NOW : undefined)),
      smsSendDelaySeconds: fc.integer({ min: 0, max: 5 }),
      partsPerMinute: fc.constantFrom(null, undefined, 10, 600),
      dispatchFreeAt: seconds.map(inSeconds),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  sims: fc.array(
    fc.record({
      phone: fc.nat(),
      isPresent: usually,
      isEnabled: usually,
      isReachable: usually,
      limits: fc.record(
        {
          messagesPerDay: fc.nat(2),
          recipientsPerMonth: fc.nat(2),
          partsPerMinute: fc.integer({ min: 1, max: 60 }),
        },
        { requiredKeys: [] },
      ),
      used: fc.nat(2),
      fullIn: seconds,
      freeIn: seconds,
      health: HEALTH,
    }),
    { maxLength: 5 },
  ),
  strategy: fc.constantFrom(...POOL_STRATEGIES),
  turn: fc.nat(10),
  rules: fc.dictionary(fc.constantFrom('+49', '+4917', '+44'), fc.array(fc.nat(4), { maxLength: 3 }), {
    maxKeys: 2,
  }),
  previous: fc.option(fc.nat(4), { nil: undefined }),
});

/** @returns opens the pool, each time as it is stored. */
function stored(
  { phones, sims, strategy, turn, rules, previous }: PoolFields,
  number: string,
): () => PoolView {
  const devices = phones.map((fields) => ({ _id: new Types.ObjectId(), ...fields }) as Device);
  const records = sims.map(
    ({ isEnabled, limits, freeIn }) =>
      ({
        _id: new Types.ObjectId(),
        enabled: isEnabled,
        limits,
        dispatchFreeAt: inSeconds(freeIn),
      }) as SimRecord,
  );
  const day = new Date('2026-03-01T00:00:00Z');
  const members = records.flatMap((sim, index): PoolMember[] => {
    const fields = sims[index];
    const device = fields?.isPresent ? devices[fields.phone % devices.length] : undefined;
    if (!fields) return [];
    const { used, fullIn, health, isReachable } = fields;
    const usage = { reservations: [], day: { start: day, count: used }, fullAt: inSeconds(fullIn).getTime() };
    return [
      {
        sim,
        ...(device && { device }),
        isReachable: device !== undefined && isReachable,
        health,
        usage: usage as unknown as SimUsage,
      },
    ];
  });
  const idsOf = (indexes: readonly number[]) => indexes.flatMap((index) => records[index]?._id ?? []);
  const pool = {
    _id: new Types.ObjectId(),
    sims: records.map(({ _id }) => _id),
    strategy,
    turn,
    countries: Object.fromEntries(Object.entries(rules).map(([prefix, indexes]) => [prefix, idsOf(indexes)])),
  } as unknown as Pool;
  const last = previous === undefined ? undefined : records[previous]?._id.toHexString();
  const previousSims = new Map(last === undefined ? [] : [[number, last]]);
  return () => new PoolView({ pool, members, previousSims, now: NOW });
}

const assign = (view: PoolView, number: string) => {
  const entry = { message: 'Hello', parts: 1, recipients: [number] };
  return assignToPool(view, {
    entries: [entry],
    isSingleUrgent: false,
    withoutEncryption: [],
    peerNumberOf: (recipient) => recipient,
  }).then((assigned) => ('senders' in assigned ? assigned.senderOf(entry, 0) : undefined));
};

const member = (changes: Partial<PoolMember> = {}, sim: Partial<SimRecord> = {}): PoolMember => ({
  sim: { _id: new Types.ObjectId(), enabled: true, ...sim } as SimRecord,
  device: { _id: new Types.ObjectId(), enabled: true, smsSendDelaySeconds: 1 } as Device,
  isReachable: true,
  health: { state: 'closed', failureRate: 0 },
  ...changes,
});
const open = (members: readonly PoolMember[], countries: Record<string, Types.ObjectId[]> = {}) => {
  const sims = members.map(({ sim }) => sim._id);
  const pool = { _id: new Types.ObjectId(), sims, strategy: 'sticky', countries } as unknown as Pool;
  return new PoolView({ pool, members, previousSims: new Map(), now: NOW });
};

describe('the SIM of a message of a pool', () => {
  it('is the one that a simulation names, and dispatch keeps it', async () => {
    let [sent, waited, refused] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(POOLS, fc.constantFrom(...NUMBERS), async (fields, number) => {
        const view = stored(fields, number);
        // As `PoolSimulationService` does.
        const simulated = view().choose({ peerNumber: number, parts: 1, isSingleUrgent: false });
        const sender = await assign(view(), number);
        const bound = {
          _id: new Types.ObjectId(),
          peerNumber: number,
          message: 'Hello',
          sim: sender?.sim?._id,
        };
        const route = routeInPool(
          view(),
          bound as OutgoingMessage,
          { isSingleUrgent: false, waitsForPhonePace: false },
          NOW,
        );
        if (simulated.sim) {
          sent++;
          const { sim, device, reason } = { ...simulated.sim, reason: simulated.reason };
          expect(sender).toEqual({ sim, device, reason });
          expect(route).toMatchObject({ kind: 'send', to: { id: simulated.sim.id } });
          expect(route).not.toHaveProperty('choice');
          return;
        }
        expect(route.kind).toBe('hold');
        if (sender) waited++;
        else refused++;
        const rejection = simulated.rejections.find(({ sim }) => sender?.sim?._id.equals(sim));
        // Only a SIM that will take it by itself is waited for.
        const mayWaitFor = ({ sim, reason }: { sim: string; reason: string }) =>
          ['limits', 'unhealthy', 'unreachable'].includes(reason) && view().isInPhone(sim);
        expect(sender !== undefined).toBe(simulated.rejections.some(mayWaitFor));
        expect(sender?.reason).toBeUndefined();
        if (rejection) expect(sender?.waitingFor?.until).toEqual(sender?.waitingFor && rejection.until);
      }),
      { numRuns: 1_000 },
    );
    // The pools are of all kinds.
    for (const count of [sent, waited, refused]) expect(count).toBeGreaterThan(10);
  });

  it('is one that is in a phone and serves the country, while none can take it; else it is refused', async () => {
    const foreign = member();
    const offline = member({ isReachable: false });
    const absent = member({ device: undefined, isReachable: false });
    const countries = { '+49': [absent.sim._id, offline.sim._id] };
    expect(await assign(open([absent, foreign, offline], countries), '+4915112345678')).toEqual({
      sim: offline.sim,
      device: offline.device,
      waitingFor: { reason: 'phone_unreachable' },
    });
    expect(await assign(open([absent]), '+4915112345678')).toBeUndefined();
  });

  it('is an unhealthy one for one message of a send only', async () => {
    const ill = member({ health: { state: 'half-open', failureRate: 0.5, canaryDueAt: NOW } });
    const healthy = member();
    const view = open([ill, healthy]);
    const recipients = Array.from({ length: 500 }, (_, index) => `+49151${10_000_000 + index}`);
    const entry = { message: 'Hello', parts: 1, recipients };
    const assigned = await assignToPool(view, {
      entries: [entry],
      isSingleUrgent: false,
      withoutEncryption: [],
      peerNumberOf: (recipient) => recipient,
    });
    if (!('senders' in assigned)) throw new Error('refused');
    const sims = recipients.map((_, index) => assigned.senderOf(entry, index).sim);
    expect(sims.filter((sim) => sim === ill.sim)).toHaveLength(1);
  });
});
