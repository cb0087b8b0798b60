import { Types } from 'mongoose';
import type { Device } from '../../devices/store/device.schema';
import { hashRecipient } from '../../devices/sims/limits/hash-recipient';
import type { Pool } from '../../devices/sims/pools/pool.schema';
import type { SimUsage } from '../../devices/sims/schemas/sim-usage.schema';
import type { SimLimits, SimRecord } from '../../devices/sims/schemas/sim.schema';
import type { PoolMember } from './pool-sim';
import { type PooledMessage, PoolView } from './pool-view';

const NOW = new Date('2026-03-01T12:00:00Z');
const TOMORROW = new Date('2026-03-02T00:00:00Z');
const inSeconds = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

const phone = (changes: Partial<Device> = {}) =>
  ({ _id: new Types.ObjectId(), enabled: true, smsSendDelaySeconds: 1, ...changes }) as Device;

interface MemberChanges extends Partial<PoolMember> {
  readonly limits?: SimLimits;
  readonly enabled?: boolean;
}

function member({ limits, enabled = true, ...changes }: MemberChanges = {}): PoolMember {
  const sim = { _id: new Types.ObjectId(), enabled, ...(limits && { limits }) } as SimRecord;
  return { sim, device: phone(), isReachable: true, health: { state: 'closed', failureRate: 0 }, ...changes };
}

const usageOf = (fields: Partial<SimUsage>) => ({ reservations: [], ...fields }) as unknown as SimUsage;

function view(
  members: readonly PoolMember[],
  pool: Partial<Pool> = {},
  previousSims: ReadonlyMap<string, string> = new Map(),
  addTurns?: (count: number) => Promise<void>,
) {
  const sims = members.map(({ sim }) => sim._id);
  const stored = { _id: new Types.ObjectId(), sims, strategy: 'sticky', ...pool } as Pool;
  return new PoolView({ pool: stored, members, previousSims, now: NOW }, addTurns);
}

const message = (peerNumber: string, changes: Partial<PooledMessage> = {}): PooledMessage => ({
  peerNumber,
  parts: 1,
  isSingleUrgent: false,
  ...changes,
});
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `+49151${10_000_000 + index}`);

/** How many of these numbers each SIM gets. */
function spread(opened: PoolView, count: number): number[] {
  const counts = new Map(opened.members.map(({ sim }) => [sim, 0]));
  for (const number of numbers(count)) {
    const { sim: chosen } = opened.choose(message(number));
    if (chosen) counts.set(chosen.sim, (counts.get(chosen.sim) ?? 0) + 1);
  }
  return [...counts.values()];
}

describe('PoolView', () => {
  it('gives a SIM no more messages than its limits allow, also within one view', () => {
    const limited = member({
      limits: { messagesPerDay: 10 },
      usage: usageOf({ day: { start: new Date('2026-03-01T00:00:00Z'), count: 4 } }),
    });
    const byRecipients = member({ limits: { recipientsPerMonth: 3 } });
    const opened = view([limited, byRecipients]);
    expect(spread(opened, 100)).toEqual([6, 3]);
    const choice = opened.choose(message('+4930123456'));
    expect(choice).toMatchObject({ reason: 'limits', until: TOMORROW });
  });

  it('lets a SIM at its limit of recipients send to those it has counted', () => {
    const known = numbers(1)[0] ?? '';
    const full = member({
      limits: { recipientsPerMonth: 1 },
      usage: usageOf({
        month: { start: new Date('2026-03-01T00:00:00Z'), count: 1 },
        recipients: { [hashRecipient(known)]: 1 },
      }),
    });
    expect(view([full]).choose(message(known)).sim?.sim).toBe(full.sim);
    expect(view([full]).choose(message('+4930123456')).reason).toBe('limits');
  });

  it('does not leave a SIM for a pace that holds the message back for less than a minute', () => {
    // A full bucket has a quarter of a minute's parts.
    const paced = (seconds: number) =>
      member({
        limits: { partsPerMinute: 24 },
        usage: usageOf({ fullAt: inSeconds(seconds + 15).getTime() }),
      });
    const [soon, later, free] = [paced(50), paced(70), member()];
    const previous = new Map([['+491', soon.sim._id.toHexString()]]);
    expect(view([soon, free], {}, previous).choose(message('+491'))).toMatchObject({ reason: 'sticky' });
    expect(view([later, free]).choose(message('+491'))).toMatchObject({
      reason: 'only_sim',
      rejections: [{ reason: 'limits' }],
    });
  });

  it('does not choose a SIM whose phone takes nothing, is in no phone, or had the message', () => {
    const disabled = member({ enabled: false });
    const offPhone = member({ device: phone({ enabled: false }) });
    const draining = member({ device: phone({ drainingSince: NOW }) });
    const absent = member({ device: undefined, isReachable: false });
    const tried = member();
    const opened = view([disabled, offPhone, draining, absent, tried]);
    const choice = opened.choose(
      message('+491', { exceptDevices: [tried.device?._id ?? new Types.ObjectId()] }),
    );
    expect(choice.rejections.map(({ reason }) => reason)).toEqual([
      'disabled',
      'disabled',
      'disabled',
      'unreachable',
    ]);
    expect(choice.sim).toBeUndefined();
    expect(opened.choose(message('+491')).sim?.sim).toBe(tried.sim);
  });

  it('gives an unhealthy SIM one message, its canary, and none that is urgent while another can take it', () => {
    const canaryDueAt = inSeconds(-1);
    const ill = () => member({ health: { state: 'half-open', failureRate: 0.5, canaryDueAt } });
    const [one, healthy] = [ill(), member()];
    expect(view([one]).keep(message('+491'), one.sim._id)?.sim).toBe(one.sim);
    const opened = view([one, healthy]);
    expect(opened.keep(message('+491', { isSingleUrgent: true }), one.sim._id)).toBeUndefined();
    expect(opened.keep(message('+491'), one.sim._id)?.sim).toBe(one.sim);
    expect(opened.keep(message('+492'), one.sim._id)).toBeUndefined();
    expect(opened.choose(message('+492')).sim?.sim).toBe(healthy.sim);
    const [illSim, other] = [ill(), ill()];
    const both = view([illSim, other]);
    const chosen = ['+1', '+2', '+3'].map((number) => both.choose(message(number)));
    expect(chosen.map(({ sim }) => sim?.sim._id)).toEqual(
      expect.arrayContaining([illSim.sim._id, other.sim._id, undefined]),
    );
    expect(chosen[2]).toMatchObject({ reason: 'unhealthy', eligible: 0 });
  });

  it('keeps to the longest prefix of the recipient', () => {
    const [german, american] = [member(), member()];
    const countries = { '+49': [german.sim._id], '+1': [american.sim._id], '+1907': [] };
    const opened = view([german, american], { countries });
    expect(opened.choose(message('+4915112345678')).sim?.sim).toBe(german.sim);
    expect(opened.choose(message('+12125551234')).sim?.sim).toBe(american.sim);
    expect(opened.choose(message('+19075551234')).reason).toBe('country');
  });

  it('keeps a recipient with the SIM it chose before', () => {
    const members = [member(), member(), member()];
    for (const { sim } of members) {
      const opened = view(members, {}, new Map([['+491', sim._id.toHexString()]]));
      expect(opened.choose(message('+491'))).toMatchObject({ sim: { sim }, reason: 'sticky' });
    }
    const opened = view(members);
    const first = opened.choose(message('+492'));
    expect(opened.choose(message('+492'))).toMatchObject({ sim: { id: first.sim?.id }, reason: 'sticky' });
  });

  it('shares a send by pace, so that the SIMs are done at about the same time', () => {
    const shared = phone({ partsPerMinute: 24 });
    const opened = view([
      member({ limits: { partsPerMinute: 48 } }),
      member({ limits: { partsPerMinute: 12 } }),
      member({ device: shared }),
      member({ device: shared }),
    ]);
    const [fast = 0, slow = 0, ...sharing] = spread(opened, 2_000);
    expect(Math.abs(fast / 2_000 - 4 / 7)).toBeLessThan(0.05);
    for (const share of [slow, ...sharing]) expect(Math.abs(share / 2_000 - 1 / 7)).toBeLessThan(0.05);
  });

  it('loads the least loaded SIM: by what it chose, the pace and the timeline of the phone', () => {
    const busy = member({ device: phone({ dispatchFreeAt: inSeconds(100) }) });
    const paced = member({ device: phone({ pacedUntil: inSeconds(62.5).getTime() }) });
    const idle = member();
    const opened = view([busy, paced, idle], { strategy: 'least-loaded' });
    // 2.5 s each, until all are done at the same time: 40, 20 and 0 messages behind.
    expect(spread(opened, 60)).toEqual([0, 20, 40]);
    expect(spread(opened, 30)).toEqual([10, 10, 10]);
  });

  it('loads a SIM with a pace of its own by its own timeline, the others by that of the phone', () => {
    const busy = phone({ dispatchFreeAt: inSeconds(100) });
    const own = member({ device: busy, limits: { partsPerMinute: 60 } });
    const shared = member({ device: busy });
    const behind = member({ device: busy, limits: { partsPerMinute: 60 } });
    Object.assign(behind.sim, { dispatchFreeAt: inSeconds(30) });
    const doneAt = (one: PoolMember) => view([one]).choose(message('+491')).sim?.doneAt;
    // `choose` has counted the message.
    expect([own, shared, behind].map(doneAt)).toEqual([2, 105, 32].map(inSeconds));
    expect(spread(view([own, shared, behind], { strategy: 'least-loaded' }), 40)).toEqual([35, 0, 5]);
  });

  it('takes turns across views, and stores how many it took', async () => {
    const members = [member(), member(), member()].sort((a, b) =>
      String(a.sim._id) < String(b.sim._id) ? -1 : 1,
    );
    const stored: number[] = [];
    const addTurns = (count: number) => {
      stored.push(count);
      return Promise.resolve();
    };
    const opened = view(members, { strategy: 'round-robin', turn: 4 }, new Map(), addTurns);
    const order = ['+1', '+2', '+3', '+4'].map((number) => opened.choose(message(number)).sim?.sim);
    expect(order).toEqual([1, 2, 0, 1].map((index) => members[index]?.sim));
    await opened.recordRoundRobinTurns();
    await opened.recordRoundRobinTurns();
    expect(stored).toEqual([4]);
    const sticky = view(members, {}, new Map(), addTurns);
    sticky.choose(message('+1'));
    await sticky.recordRoundRobinTurns();
    expect(stored).toEqual([4]);
  });

  it('takes the SIM that is done first for an urgent message, which does not wait for large sends', () => {
    const inCampaign = member({ device: phone({ dispatchFreeAt: inSeconds(1_000) }) });
    const paced = member({ device: phone({ pacedUntil: inSeconds(50).getTime() }) });
    const slow = member({ limits: { partsPerMinute: 1 } });
    const opened = view([paced, slow, inCampaign]);
    expect(opened.choose(message('+491', { isSingleUrgent: true }))).toMatchObject({
      sim: { sim: inCampaign.sim },
      reason: 'urgent',
    });
  });

  it('spreads urgent messages over SIMs that are equally free, whenever their large sends end', () => {
    const members = [member(), member({ device: phone({ dispatchFreeAt: inSeconds(1_000) }) })];
    const chosen = numbers(40).map(
      (number) => view(members).choose(message(number, { isSingleUrgent: true })).sim?.sim,
    );
    for (const { sim } of members) expect(chosen.filter((each) => each === sim).length).toBeGreaterThan(8);
  });
});
