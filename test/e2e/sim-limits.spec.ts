import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import type { Device } from '../../src/devices/store/device.schema';
import { drawTime, occupiedMs, paceOf } from '../../src/devices/pace/token-bucket';
import { SimAdmission } from '../../src/devices/sims/sim-admission.service';
import { SimUsageRepository } from '../../src/devices/sims/sim-usage.repository';
import type { SimUsage } from '../../src/devices/sims/schemas/sim-usage.schema';
import { PushClaimsRepository } from '../../src/gateway/dispatch/push-claims.repository';
import { DispatchScheduler } from '../../src/gateway/dispatch/dispatch.scheduler';
import { WaitingMessagesRepository } from '../../src/gateway/routing/waiting-messages.repository';
import { WaitingReview } from '../../src/gateway/routing/waiting-review.service';
import type { Message } from '../../src/messages/message.schema';
import { MessagesRepository } from '../../src/messages/messages.repository';
import type { MessageJson, TestClient } from '../support/client';
import { crashAtCall, type CrashPoint } from '../support/crash-at-call';
import { pauseNextCall } from '../support/pause-next-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const numbers = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `+4915${String(first + index).padStart(8, '0')}`);
const EXACT_TIME = expect.stringMatching(/Z$/) as string;

describe('the limits of a SIM', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  // No worker and no timer runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    service.stopTimers();
    service.clock.stop();
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    client = await service.newAccount();
    device = await client.newDevice({ simInfo: { sims: [{ subscriptionId: 1, simSlotIndex: 0 }] } });
  });
  afterAll(() => service.stop());

  const dispatch = (batch: string, on = service) => dispatchWave(on, batch);
  const messagesOf = (batch: string): Promise<Message[]> =>
    service
      .get(MessagesRepository)
      .listByBatch(accountScope(client.user), new Types.ObjectId(batch), undefined, 10_000);
  const shown = async (batch: string): Promise<MessageJson[]> => (await client.batch(device, batch)).messages;
  const simsOf = async (phone = device) => {
    const { data } = (await client.get('/gateway/sims')).body as {
      data: {
        _id: string;
        device: string;
        subscriptionId?: number;
        usage: Record<string, { used: number }>;
      }[];
    };
    return data.filter((sim) => sim.device === phone);
  };
  const simOf = async (subscriptionId: number) =>
    (await simsOf()).find((sim) => sim.subscriptionId === subscriptionId)?._id ?? 'missing';
  const limit = async (limits: object | null, sim?: string) => {
    const id = sim ?? (await simOf(1));
    expect((await client.patch(`/gateway/sims/${id}`, { limits })).status).toBe(200);
    return id;
  };
  const setEnabled = (sim: string, enabled: boolean) => client.patch(`/gateway/sims/${sim}`, { enabled });
  /** What the timers do. */
  const sweep = async () => {
    await service.get(WaitingReview).reviewUsages();
    await service.get(WaitingReview).reviewChanged();
  };
  const dispatchOverdue = async () => {
    const queue = service.get(DispatchScheduler);
    service.clock.advance(6_000);
    await queue.dispatchOverdue();
  };
  const usageOf = (sim: string) =>
    service.collection('simusages').findOne({ _id: new Types.ObjectId(sim) }) as Promise<SimUsage | null>;
  const report = (sims: object[], phone = device) =>
    client.post(`/gateway/devices/${phone}/heartbeat`, { simInfo: { sims } });

  it('hold back what exceeds them, and tell why and until when', async () => {
    const sim = await limit({ messagesPerDay: 3, timeZone: 'Europe/Berlin' });
    const batch = await client.send(numbers(5));
    await dispatch(batch);
    const messages = await shown(batch);
    expect(messages.map(({ status }) => status)).toEqual([
      'dispatched',
      'dispatched',
      'dispatched',
      'pending',
      'pending',
    ]);
    expect(messages[0]).toMatchObject({ sim });
    expect(messages[0]).not.toHaveProperty('waitingFor');
    expect(messages[0]).not.toHaveProperty('simSubscriptionId');
    expect(messages[4]).toMatchObject({ sim, waitingFor: { reason: 'messages_per_day', until: EXACT_TIME } });
    const { until } = messages[4]?.waitingFor as { until: string };
    expect(messages[4]?.dispatchDueAt).toBe(until);
    const local = new Date(until).toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' });
    expect(local).toMatch(/ 00:00:00$/);
    expect(await simsOf()).toMatchObject([{ usage: { messagesPerDay: { used: 3, resetsAt: until } } }]);
    await dispatch(batch); // not due
    service.clock.advance(new Date(until).getTime() - service.clock.now().getTime());
    await dispatch(batch);
    expect((await shown(batch)).map(({ status }) => status)).toEqual(
      Array.from({ length: 5 }, () => 'dispatched'),
    );
    expect((await shown(batch))[4]).not.toHaveProperty('waitingFor');
    expect(transport.pushed.length).toBe(5);
  });

  it('are exact when eight dispatchers work on one SIM', async () => {
    await client.patch(`/gateway/devices/${device}`, { partsPerMinute: null });
    const sim = await limit({ messagesPerDay: 100, recipientsPerMonth: 1_000 });
    const others = await Promise.all(
      Array.from({ length: 7 }, () =>
        TestService.start({ environment: { APP_ROLES: 'api' }, shared: service, transport }),
      ),
    );
    try {
      const batches = await Promise.all(
        Array.from({ length: 10 }, (_, n) => client.send(numbers(20, n * 20))),
      );
      await Promise.all(
        [service, ...others].flatMap((each, n) =>
          batches.map((_, index) => dispatch(batches[(index + n) % batches.length] ?? '', each)),
        ),
      );
      // Two that had the same wave reserve room for it twice, until the one that lost it settles.
      for (let turn = 0; turn < 3; turn++) {
        service.clock.advance(MINUTE);
        await sweep();
        for (const batch of batches) await dispatch(batch);
      }
      expect(transport.pushed.length).toBe(100);
      expect(new Set(transport.pushed).size).toBe(100);
      const statuses = (await Promise.all(batches.map(messagesOf))).flat().map(({ status }) => status);
      expect(statuses.filter((status) => status === 'dispatched').length).toBe(100);
      const usage = await usageOf(sim);
      expect(usage).toMatchObject({ day: { count: 100 }, reservations: [] });
      expect(Object.keys(usage?.recipients ?? {}).length).toBe(100);
    } finally {
      await Promise.all(others.map((each) => each.stop()));
    }
  });

  it.each<[string, CrashPoint, 'before' | 'after', number]>([
    ['before it reserves', crashAtCall(SimUsageRepository, 'change'), 'before', 0],
    ['after it reserved', crashAtCall(SimUsageRepository, 'change'), 'after', 0],
    ['before it claims', crashAtCall(PushClaimsRepository, 'claim'), 'before', 0],
    ['after it claimed', crashAtCall(PushClaimsRepository, 'claim'), 'after', 1],
    ['before it settles', crashAtCall(SimAdmission, 'settleAdmission'), 'before', 1],
  ])('lose and count nothing twice if the process dies %s', async (_, crash, when, counted) => {
    const sim = await limit({ messagesPerDay: 2 });
    const batch = await client.send(numbers(1));
    crash(service, when);
    await expect(dispatch(batch)).rejects.toThrow('killed');
    service.clock.advance(MINUTE + 1);
    await sweep();
    expect((await usageOf(sim))?.reservations ?? []).toEqual([]);
    expect((await usageOf(sim))?.day?.count ?? 0).toBe(counted);
    await dispatch(batch);
    await sweep();
    expect((await usageOf(sim))?.day?.count).toBe(1);
    expect((await messagesOf(batch)).map(({ status }) => status)).toEqual(['dispatched']);
    const second = await client.send(numbers(2, 5));
    await dispatch(second);
    expect((await messagesOf(second)).map(({ status }) => status)).toEqual(['dispatched', 'pending']);
  });

  it('give room back that a dead process had reserved, to those that wait', async () => {
    await limit({ messagesPerMonth: 1 });
    const [lost, waiting] = [await client.send(numbers(1)), await client.send(numbers(1, 1))];
    crashAtCall(PushClaimsRepository, 'claim')(service, 'before');
    await expect(dispatch(lost)).rejects.toThrow('killed');
    await dispatch(waiting);
    expect((await shown(waiting))[0]).toMatchObject({ waitingFor: { reason: 'messages_per_month' } });
    service.clock.advance(MINUTE);
    await sweep();
    await dispatch(waiting);
    expect((await shown(waiting))[0]).toMatchObject({ status: 'dispatched' });
    await dispatch(lost);
    expect((await shown(lost))[0]).toMatchObject({ status: 'pending' });
  });

  it('give room back that two workers took from each other for the same messages', async () => {
    await limit({ messagesPerHour: 2 });
    const batch = await client.send(numbers(2));
    const claim = pauseNextCall(service, PushClaimsRepository, 'claim');
    const first = dispatch(batch);
    await claim.reached;
    const other = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service, transport });
    await dispatch(batch, other);
    claim.release(false);
    await first;
    await other.stop();
    // The second one found no room and had them wait, so that the first one could not claim them.
    expect((await shown(batch)).map(({ waitingFor }) => waitingFor)).toMatchObject(
      Array.from({ length: 2 }, () => ({ reason: 'messages_per_hour' })),
    );
    await sweep();
    await dispatch(batch);
    expect((await shown(batch)).map(({ status }) => status)).toEqual(['dispatched', 'dispatched']);
    expect(transport.pushed).toHaveLength(2);
  });

  it.each<[string, 'unavailable' | 'refused', string]>([
    ['is unavailable: the message waits for its next attempt', 'unavailable', 'pending'],
    ['refuses it: another one may leave', 'refused', 'failed'],
  ])('do not count what the push service %s', async (_, outcome, status) => {
    const sim = await limit({ messagesPerDay: 1 });
    const batch = await client.send(numbers(1));
    transport.resultOf = () =>
      outcome === 'refused' ? { outcome, code: 'PUSH_REFUSED', isTokenInvalid: false } : { outcome };
    await dispatch(batch);
    expect((await messagesOf(batch))[0]).toMatchObject({ status });
    expect((await messagesOf(batch))[0]).not.toHaveProperty('simReservation');
    expect(await usageOf(sim)).toMatchObject({ day: { count: 0 }, reservations: [] });
    transport.resultOf = () => ({ outcome: 'accepted' });
    const next = await client.send(numbers(1));
    await dispatch(next);
    expect((await shown(next))[0]).toMatchObject({ status: 'dispatched' });
    service.clock.advance(10_000);
    await dispatch(batch);
    expect((await shown(batch))[0]).toMatchObject({ status });
  });

  it('hold a message back that another process decides on when the limit is raised', async () => {
    const sim = await limit({ messagesPerDay: 1 });
    await dispatch(await client.send(numbers(1)));
    const batch = await client.send(numbers(1));
    const paused = pauseNextCall(service, WaitingMessagesRepository, 'hold');
    const late = dispatch(batch);
    await paused.reached; // it has decided by the old limit
    await limit({ messagesPerDay: 5 }, sim);
    await sweep();
    paused.release(false);
    await late;
    expect((await shown(batch))[0]).toMatchObject({ waitingFor: { reason: 'messages_per_day' } });
    service.clock.advance(MINUTE);
    await sweep();
    await dispatch(batch);
    expect((await shown(batch))[0]).toMatchObject({ status: 'dispatched' });
    expect(await service.collection('sims').countDocuments({ reviewDueAt: { $exists: true } })).toBe(0);
  });

  it('apply to waiting messages when they are raised, lowered and removed', async () => {
    const sim = await limit({ messagesPerDay: 1 });
    const batch = await client.send(numbers(6));
    await dispatch(batch);
    const left = async () => (await messagesOf(batch)).filter(({ status }) => status === 'dispatched').length;
    expect(await left()).toBe(1);
    await limit({ messagesPerDay: 3 }, sim);
    await sweep();
    await dispatchOverdue();
    await dispatch(batch);
    expect(await left()).toBe(3);
    await limit({ messagesPerDay: null, messagesPerMonth: 4 }, sim);
    await sweep();
    await dispatch(batch);
    expect(await left()).toBe(4);
    const { waitingFor } = (await messagesOf(batch)).at(-1) ?? {};
    expect(waitingFor?.reason).toBe('messages_per_month');
    await limit(null, sim);
    await sweep();
    await dispatch(batch);
    expect(await left()).toBe(6);
  });

  it('of recipients count each once a month, and let known ones pass', async () => {
    await limit({ recipientsPerMonth: 2, monthStartsOn: 15 });
    const batch = await client.send(['+49151111', '+49151222', '+49151333', '+49151111']);
    await dispatch(batch);
    expect((await shown(batch)).map(({ status }) => status)).toEqual([
      'dispatched',
      'dispatched',
      'pending',
      'dispatched',
    ]);
    const [sim] = await simsOf();
    expect(sim?.usage).toMatchObject({ recipientsPerMonth: { used: 2 } });
    const { until = '' } = (await shown(batch))[2]?.waitingFor as { until?: string };
    expect(until).toMatch(/-15T00:00:00.000Z$/);
  });

  it('of parts a minute are never overdrawn, except by one longer text', async () => {
    await limit({ partsPerMinute: 24 });
    const batch = await client.send(numbers(8));
    await dispatch(batch);
    const left = async () => (await messagesOf(batch)).filter(({ status }) => status === 'dispatched').length;
    expect(await left()).toBe(6);
    service.clock.advance(2_500);
    await dispatch(batch);
    expect(await left()).toBe(7);
    service.clock.advance(2_500);
    await dispatch(batch);
    const long = await client.send(numbers(1), { message: 'x'.repeat(1_600) });
    await dispatch(long);
    expect((await shown(long))[0]).toMatchObject({ waitingFor: { reason: 'parts_per_minute' } });
    service.clock.advance(15_000);
    await dispatch(long);
    expect((await shown(long))[0]).toMatchObject({ status: 'dispatched' });
    const next = await client.send(numbers(1));
    await dispatch(next);
    const wait = (await messagesOf(next))[0]?.waitingFor?.until?.getTime() ?? 0;
    // Eleven parts were drawn from six: the next one leaves when one of them is back.
    expect(wait - service.clock.now().getTime()).toBe(6 * 2_500);
  });

  describe('and the choice of the SIM', () => {
    const two = [
      { subscriptionId: 1, simSlotIndex: 0 },
      { subscriptionId: 2, simSlotIndex: 1, iccId: '8949020000000000009' },
    ];
    const only = async (batch: string) => (await messagesOf(batch))[0];

    it('leave it to a phone with several SIMs without limits', async () => {
      await report(two);
      const batch = await client.send(numbers(1));
      await dispatch(batch);
      expect(await only(batch)).not.toHaveProperty('sim');
      expect(await only(batch)).not.toHaveProperty('simSubscriptionId');
    });

    it('take the lowest slot or the default SIM of the phone, and hand it over, also again', async () => {
      await report(two);
      await limit({ messagesPerDay: 9 }, await simOf(2));
      const [first, second, third] = [
        await client.send(numbers(1)),
        await client.send(numbers(1)),
        await client.send(numbers(1)),
      ];
      await dispatch(first);
      expect(await only(first)).toMatchObject({ simSubscriptionId: 1 });
      await client.patch(`/gateway/devices/${device}`, { defaultSim: 2 });
      service.clock.advance(1);
      await dispatch(second);
      expect(await only(second)).toMatchObject({
        simSubscriptionId: 2,
        sim: new Types.ObjectId(await simOf(2)),
      });
      const pending = (await client.get(`/gateway/devices/${device}/messages/pending`)).body as {
        data: object[];
      };
      expect(pending.data).toMatchObject([{ simSubscriptionId: 1 }, { simSubscriptionId: 2 }]);
      // A message that comes back is given to any SIM again.
      transport.resultOf = () => ({ outcome: 'unavailable' });
      await dispatch(third);
      expect(await only(third)).not.toHaveProperty('simSubscriptionId');
      await client.patch(`/gateway/devices/${device}`, { defaultSim: 1 });
      transport.resultOf = () => ({ outcome: 'accepted' });
      service.clock.advance(6_000);
      await dispatch(third);
      expect(await only(third)).toMatchObject({ simSubscriptionId: 1 });
    });

    it('refuse sends that name a disabled SIM, and keep those that wait', async () => {
      await report(two);
      const [named, unnamed] = [
        await client.send(numbers(1), { simSubscriptionId: 1 }),
        await client.send(numbers(1)),
      ];
      const sim = await simOf(1);
      await setEnabled(sim, false);
      const answer = await client.post('/gateway/send-bulk-sms', {
        messages: [
          { message: 'Hi', recipients: numbers(1), simSubscriptionId: 2 },
          { message: 'Hi', recipients: numbers(1), simSubscriptionId: 1 },
        ],
      });
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ details: [{ field: 'messages.1.simSubscriptionId' }] });
      await dispatch(named);
      await dispatch(unnamed);
      expect((await shown(named))[0]).toMatchObject({
        status: 'pending',
        sim,
        waitingFor: { reason: 'sim_disabled' },
      });
      expect((await shown(named))[0]?.waitingFor).not.toHaveProperty('until');
      expect(await only(unnamed)).toMatchObject({ status: 'dispatched', simSubscriptionId: 2 });
      await setEnabled(sim, true);
      await sweep();
      await dispatch(named);
      expect(await only(named)).toMatchObject({ status: 'dispatched', simSubscriptionId: 1 });
    });

    it('wait for a SIM that was named and has left the phone, wherever it is', async () => {
      await report(two);
      const [gone, moved, unnamed] = [
        await client.send(numbers(1), { simSubscriptionId: 1 }),
        await client.send(numbers(1), { simSubscriptionId: 2 }),
        await client.send(numbers(1)),
      ];
      const other = await client.newDevice();
      await report([{ subscriptionId: 8, iccId: '8949020000000000009' }], other);
      await dispatch(moved); // its own phone still lists it
      expect((await shown(moved))[0]).toMatchObject({
        status: 'pending',
        waitingFor: { reason: 'sim_absent' },
      });
      await report([{ subscriptionId: 3 }]);
      await dispatch(gone);
      await dispatch(unnamed);
      expect((await shown(gone))[0]).toMatchObject({
        status: 'pending',
        waitingFor: { reason: 'sim_absent' },
      });
      expect(await only(unnamed)).toMatchObject({
        status: 'dispatched',
        sim: new Types.ObjectId(await simOf(3)),
      });
      await report(two);
      await sweep();
      for (const batch of [gone, moved]) {
        await dispatch(batch);
        expect(await only(batch)).toMatchObject({ status: 'dispatched' });
      }
    });

    it('apply to the SIM of a phone that reports none', async () => {
      const phone = await client.newDevice();
      const [own] = await simsOf(phone);
      await limit({ messagesPerDay: 1 }, own?._id);
      const batch = await client.send(numbers(2), { deviceId: phone });
      await dispatch(batch);
      expect((await messagesOf(batch)).map(({ status }) => status)).toEqual(['dispatched', 'pending']);
    });

    it('follow the card into another phone', async () => {
      await report(two);
      const sim = await limit({ messagesPerDay: 2 }, await simOf(2));
      const batch = await client.send(numbers(1), { simSubscriptionId: 2 });
      await dispatch(batch);
      const other = await client.newDevice({
        simInfo: { sims: [{ subscriptionId: 8, iccId: '8949020000000000009' }] },
      });
      const next = await client.send(numbers(2), { deviceId: other });
      await dispatch(next);
      expect((await messagesOf(next)).map(({ status }) => status)).toEqual(['dispatched', 'pending']);
      expect(await usageOf(sim)).toMatchObject({ day: { count: 2 } });
    });

    it('continue the usage of a SIM whose ICCID was not known', async () => {
      const iccId = '8949020000000000009';
      const [card] = [await simOf(1)];
      await report([{ subscriptionId: 1, iccId }]);
      await limit({ messagesPerDay: 9 }, card);
      await dispatch(await client.send(numbers(2)));
      const other = await client.newDevice({ simInfo: { sims: [{ subscriptionId: 4 }] } });
      const [duplicate] = await simsOf(other);
      await limit({ messagesPerDay: 9 }, duplicate?._id);
      const open = await client.send(numbers(3), { deviceId: other });
      crashAtCall(SimAdmission, 'settleAdmission')(service, 'before');
      await expect(dispatch(open)).rejects.toThrow('killed');
      await report([{ subscriptionId: 4, iccId }], other);
      expect(await usageOf(card)).toMatchObject({
        day: { count: 5 },
        reservations: [{ messages: { length: 3 } }],
      });
      service.clock.advance(MINUTE);
      await sweep();
      expect(await usageOf(card)).toMatchObject({ day: { count: 5 }, reservations: [] });
    });
  });

  describe('and the pace of the phone', () => {
    const paced = async (batch: string) => (await messagesOf(batch))[0]?.waitingFor;
    const single = (wave: number, batch: string) => dispatchWave(service, batch, wave);

    it('delay the waves of a large send behind what was handed over before', async () => {
      await dispatch(await client.send(numbers(24)));
      expect(transport.pushed.length).toBe(24);
      const large = await client.send(numbers(60));
      await dispatch(large);
      const until = (await paced(large))?.until?.getTime() ?? 0;
      expect((await shown(large))[0]).toMatchObject({
        waitingFor: { reason: 'parts_per_minute', until: EXACT_TIME },
      });
      // The bucket then has room for the part of the first wave.
      expect(until - service.clock.now().getTime()).toBe(19 * 2_500);
      service.clock.advance(19 * 2_500);
      await single(0, large);
      expect(await paced(large)).toBeUndefined();
      expect(transport.pushed.length).toBe(25);
    });

    it('is that of the phone, or none', async () => {
      await client.patch(`/gateway/devices/${device}`, { partsPerMinute: null });
      await dispatch(await client.send(numbers(50)));
      const large = await client.send(numbers(60));
      await dispatch(large);
      expect(transport.pushed.length).toBe(51);
      expect(
        await service
          .collection('devices')
          .countDocuments({ pacedUntil: { $exists: true }, user: client.user }),
      ).toBe(0);
    });

    it('also counts what is handed out again when the phone connects', async () => {
      const batch = await client.send(numbers(20));
      await dispatch(batch);
      service.clock.advance(HOUR);
      await client.get(`/gateway/devices/${device}/messages/pending`);
      const stored = await service.collection('devices').findOne({ _id: new Types.ObjectId(device) });
      expect(stored?.pacedUntil).toBe(service.clock.now().getTime() + 20 * 2_500);
      const sim = await limit({ partsPerMinute: 60 });
      await client.get(`/gateway/devices/${device}/messages/pending`);
      expect(await usageOf(sim)).toMatchObject({ fullAt: service.clock.now().getTime() + 20_000 });
    });

    it('agrees with the pure bucket', async () => {
      const admission = service.get(SimAdmission);
      const _id = new Types.ObjectId(device);
      const phone = { _id, user: client.user, partsPerMinute: 7 } as Device;
      let fullAt: number | undefined;
      for (const [ms, parts] of [
        [0, 3],
        [1_000, 9],
        [40_000, 1],
        [-5_000, 2],
        [3 * HOUR, 4],
        [-2 * DAY, 1],
        [2 * DAY, 1],
      ] as const) {
        service.clock.advance(ms);
        await admission.drawPhonePace(phone, [{ parts, drawsFromPhonePace: true }]);
        fullAt = drawTime(fullAt, occupiedMs(paceOf(7), parts), service.clock.now().getTime());
        const stored = await service.collection('devices').findOne({ _id });
        expect(stored?.pacedUntil).toBeCloseTo(fullAt, 2);
      }
    });
  });
});
