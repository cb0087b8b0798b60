import { Types } from 'mongoose';
import type { Device } from '../../devices/store/device.schema';
import { NEW_SIM_HEALTH, summarizeHealth } from '../../devices/sims/health/sim-health';
import type { SimRecord } from '../../devices/sims/schemas/sim.schema';
import type { EndedAttempt, OutgoingMessage } from '../../messages/message.schema';
import type { PoolMember } from '../senders/pool-sim';
import { PoolView } from '../senders/pool-view';
import { routeInPool } from './pool-route';

const NOW = new Date('2026-03-01T12:00:00Z');
const MINUTE = 60_000;

describe('the route of a message of a pool', () => {
  const member = (changes: Partial<Omit<PoolMember, 'sim'>> & { sim?: Partial<SimRecord> } = {}) => {
    const device = { _id: new Types.ObjectId(), enabled: true, smsSendDelaySeconds: 0 } as Device;
    const sim = { _id: new Types.ObjectId(), enabled: true, isPresent: true, ...changes.sim } as SimRecord;
    const health = summarizeHealth(NEW_SIM_HEALTH, NOW);
    return { device, isReachable: true, health, ...changes, sim };
  };
  const pool = (members: readonly PoolMember[], countries?: Record<string, Types.ObjectId[]>) =>
    new PoolView({
      pool: {
        _id: new Types.ObjectId(),
        user: new Types.ObjectId(),
        name: 'All',
        sims: members.map(({ sim }) => sim._id),
        strategy: 'sticky',
        ...(countries && { countries }),
        createdAt: NOW,
        updatedAt: NOW,
      },
      members,
      previousSims: new Map(),
      now: NOW,
    });
  const route = (
    view: PoolView,
    bound: PoolMember,
    attempts?: EndedAttempt[],
    changes = {},
    waitsForPhonePace = false,
  ) => {
    const message = {
      ...changes,
      _id: new Types.ObjectId(),
      peerNumber: '+4915112345678',
      message: 'Hello',
    };
    const fields = { ...message, sim: bound.sim._id, ...(attempts && { attempts }) } as OutgoingMessage;
    const found = routeInPool(view, fields, { isSingleUrgent: false, waitsForPhonePace }, NOW);
    return found.kind === 'send' ? { to: found.to.id, reason: found.choice?.reason } : found;
  };
  const attempt = (
    { device }: PoolMember,
    outcome: EndedAttempt['outcome'],
    code = 'PUSH_UNAVAILABLE',
  ): EndedAttempt => ({ device: device?._id ?? new Types.ObjectId(), outcome, endedAt: NOW, code });
  const idOf = ({ sim }: PoolMember) => sim._id.toHexString();

  it('keeps its SIM, unless that cannot take it', () => {
    const [one, other] = [member(), member()];
    expect(route(pool([one, other]), one)).toEqual({ to: idOf(one), reason: undefined });
    expect(route(pool([one, other]), other)).toEqual({ to: idOf(other), reason: undefined });
    const off = member({ isReachable: false });
    expect(route(pool([off, other]), off)).toEqual({ to: idOf(other), reason: 'only_sim' });
  });

  it('counts what it keeps: a SIM gets no more than its limits allow', () => {
    const limited = member({ sim: { limits: { messagesPerDay: 1 } } });
    const other = member();
    const view = pool([limited, other]);
    expect(route(view, limited)).toMatchObject({ to: idOf(limited) });
    expect(route(view, limited)).toMatchObject({ to: idOf(other) });
  });

  it('moves if its SIM would send it a minute later, behind those before it', () => {
    const [slow, other] = [member({ sim: { limits: { partsPerMinute: 2 } } }), member()];
    const view = pool([slow, other]);
    const found = Array.from({ length: 4 }, () => route(view, slow));
    // At once, after 30 s, and not after 60 s.
    const [stays, moves] = [
      { to: idOf(slow), reason: undefined },
      { to: idOf(other), reason: 'only_sim' },
    ];
    expect(found).toEqual([stays, stays, moves, moves]);
  });

  it('moves from a phone whose pace holds back waves for a minute', () => {
    const one = member();
    const busy = {
      ...one,
      device: Object.assign({}, one.device, { pacedUntil: NOW.getTime() + 2 * MINUTE }),
    };
    const other = member();
    expect(route(pool([busy, other]), busy, undefined, {}, true)).toMatchObject({ to: idOf(other) });
    expect(route(pool([busy, other]), busy)).toMatchObject({ to: idOf(busy) });
    expect(route(pool([busy]), busy, undefined, {}, true)).toMatchObject({
      held: { reason: 'parts_per_minute' },
    });
  });

  it('is the only one that an unhealthy SIM gets until it has a result', () => {
    const health = { state: 'half-open', failureRate: 0.5, canaryDueAt: NOW } as const;
    const [unhealthy, other] = [member({ health }), member()];
    const view = pool([unhealthy, other]);
    expect(route(view, unhealthy)).toMatchObject({ to: idOf(unhealthy) });
    expect(route(view, unhealthy)).toMatchObject({ to: idOf(other) });
    const only = pool([unhealthy]);
    expect(route(only, unhealthy)).toMatchObject({ to: idOf(unhealthy) });
    expect(route(only, unhealthy)).toMatchObject({ held: { reason: 'sim_unhealthy' } });
  });

  it('never leads to a phone that had it', () => {
    const [one, other] = [member(), member()];
    const tried = [attempt(one, 'not_sent', '4')];
    expect(route(pool([one, other]), one, tried)).toMatchObject({ to: idOf(other) });
    expect(route(pool([one]), one, tried)).toEqual({ kind: 'fail', code: '4' });
    const secondSim = { ...member(), device: one.device };
    expect(route(pool([one, secondSim]), one, tried)).toEqual({ kind: 'fail', code: '4' });
  });

  it('leads back to a phone that the push service could not reach, if no other can take it', () => {
    const [one, other] = [member(), member()];
    const tried = [attempt(one, 'unavailable')];
    expect(route(pool([one, other]), one, tried)).toMatchObject({ to: idOf(other) });
    const off = member({ isReachable: false });
    expect(route(pool([one, off]), one, tried)).toMatchObject({ to: idOf(one) });
    const refused = [...tried, attempt(one, 'refused')];
    expect(route(pool([one, off]), one, refused)).toMatchObject({ kind: 'hold' });
    expect(route(pool([one]), one, refused)).toEqual({ kind: 'fail', code: 'PUSH_UNAVAILABLE' });
  });

  it('fails if only SIMs are left that are in no phone, or must not send to the number', () => {
    const [one, absent, foreign] = [member(), member({ device: undefined, isReachable: false }), member()];
    const tried = [attempt(one, 'refused', 'PUSH_REFUSED')];
    const failed = { kind: 'fail', code: 'PUSH_REFUSED' };
    expect(route(pool([one, absent]), one, tried)).toEqual(failed);
    expect(route(pool([one, foreign], { '+49': [one.sim._id] }), one, tried)).toEqual(failed);
    expect(route(pool([absent]), absent)).toMatchObject({ kind: 'hold' });
  });

  it('leads an encrypted text only to a phone that can decrypt it', () => {
    const [one, other] = [member(), member()];
    const able = { ...member(), device: Object.assign({}, other.device, { supportsEncryption: true }) };
    const encrypted = { encryptedMessage: 'AAAA' };
    expect(route(pool([one, able]), one, undefined, encrypted)).toMatchObject({ to: idOf(able) });
    expect(route(pool([one, other]), one, undefined, encrypted)).toMatchObject({ kind: 'hold' });
  });

  it('fails after 20 attempts', () => {
    const [one, ...others] = Array.from({ length: 22 }, () => member());
    if (!one) throw new Error('no SIM');
    const tried = others.slice(0, 20).map((each) => attempt(each, 'not_sent', '2'));
    expect(route(pool([one, ...others]), one, tried)).toEqual({ kind: 'fail', code: '2' });
  });

  it.each<[string, PoolMember[], object, string, number]>([
    ['a phone that is not online', [member({ isReachable: false })], {}, 'phone_unreachable', MINUTE],
    ['a disabled SIM', [member({ sim: { enabled: false } })], {}, 'sim_disabled', MINUTE],
    ['no SIM', [], {}, 'pool_empty', MINUTE],
    ['a SIM for other countries', [member()], { '+49': [] }, 'no_sim_for_country', MINUTE],
    ['a limit', [member({ sim: { limits: { messagesPerDay: 0 } } })], {}, 'messages_per_day', 10 * MINUTE],
  ])('waits for %s, and is decided on again soon', (_, members, countries, reason, recheckMs) => {
    const found = route(pool(members, countries as Record<string, Types.ObjectId[]>), member());
    expect(found).toMatchObject({
      kind: 'hold',
      held: { reason, retryAt: new Date(NOW.getTime() + recheckMs) },
    });
  });
});
