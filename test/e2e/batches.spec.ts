import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { BillingService } from '../../src/billing/billing.service';
import { BatchChanges } from '../../src/gateway/batches/batch-changes.service';
import { PausedMessagesRepository } from '../../src/gateway/routing/paused-messages.repository';
import { PushClaimsRepository } from '../../src/gateway/dispatch/push-claims.repository';
import { BatchRecoveryScheduler } from '../../src/gateway/batch-recovery.scheduler';
import type { Batch } from '../../src/messages/batch.schema';
import type { Message } from '../../src/messages/message.schema';
import { TestClient } from '../support/client';
import { crashAfterSteps } from '../support/crash-after-steps';
import { pauseNextCall } from '../support/pause-next-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

interface BatchData {
  _id: string;
  status: string;
  sims: { sim: string; messages: number }[];
  heldBack: { reason: string; count: number; until?: string }[];
  [field: string]: unknown;
}

describe('batches', () => {
  let service: TestService;
  let other: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  // Two processes of one installation. No worker runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    other = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service, transport });
    service.stopTimers();
    await service.collection('plans').insertMany([
      { _id: 'days', displayName: 'Days', dailyLimit: 5, monthlyLimit: -1, bulkSendLimit: -1 },
      { _id: 'months', displayName: 'Months', dailyLimit: -1, monthlyLimit: 5, bulkSendLimit: -1 },
    ] as never[]);
    service.clock.advance(11_000); // expires the cached plans
  });
  beforeEach(async () => {
    // Noon of the tenth, so that no test crosses midnight or a month.
    const now = service.clock.now();
    const noon = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10, 12);
    service.clock.advance(noon - now.getTime());
    transport.resultOf = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    transport.cancelled.length = 0;
    client = await service.newAccount();
    device = await client.newDevice({ supportsCancel: true, partsPerMinute: null });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const dataOf = (answer: { body: unknown }) => (answer.body as { data: BatchData }).data;
  const codeOf = ({ status, body }: { status: number; body: unknown }) =>
    `${status} ${(body as { code?: string }).code ?? ''}`.trim();
  const read = async (batch: string) => dataOf(await client.get(`/gateway/batches/${batch}`));
  const act = (batch: string, action: 'pause' | 'resume' | 'cancel', of = client) =>
    of.post(`/gateway/batches/${batch}/${action}`);
  const reschedule = (batch: string, scheduledAt: Date | string, of = client) =>
    of.patch(`/gateway/batches/${batch}`, {
      scheduledAt: typeof scheduledAt === 'string' ? scheduledAt : scheduledAt.toISOString(),
    });
  const inMs = (ms: number) => new Date(service.clock.now().getTime() + ms);
  /** Without what is written in the background: the batch is added to its conversations. */
  const record = (batch: string) =>
    service
      .collection('batches')
      .findOne(
        { _id: new Types.ObjectId(batch) },
        { projection: { conversationsDueAt: 0 } },
      ) as unknown as Promise<Batch>;
  const messages = (batch: string) =>
    service
      .collection('messages')
      .find({ smsBatch: new Types.ObjectId(batch) })
      .sort({ wave: 1, _id: 1 })
      .toArray() as unknown as Promise<Message[]>;
  const dispatch = (batch: string, wave: number, by = service) => dispatchWave(by, batch, wave);
  const sweep = () => service.get(BatchRecoveryScheduler).sweep();
  const usage = async () => {
    const found = await service.collection('usages').findOne({ _id: client.user });
    const days = (found?.days ?? {}) as Record<string, number>;
    const reserved = Object.entries(days).filter(([, count]) => count > 0);
    return { today: found?.dayCount as number, later: Object.fromEntries(reserved) };
  };
  const dayOf = (time: Date) => time.toISOString().slice(0, 10);

  /** Dispatches all due waves until nothing of the batch is pending; the clock runs on. @returns the ids pushed. */
  async function dispatchAll(batch: string): Promise<string[]> {
    for (let round = 0; round < 400; round++) {
      const pending = (await messages(batch)).filter(({ status }) => status === 'pending');
      if (pending.length === 0) return transport.pushed;
      const next = Math.min(...pending.map(({ nextDispatchAt }) => nextDispatchAt?.getTime() ?? Infinity));
      service.clock.advance(Math.max(0, next - service.clock.now().getTime()) + 1);
      const now = service.clock.now();
      const due = pending.filter(({ nextDispatchAt }) => nextDispatchAt && nextDispatchAt <= now);
      for (const wave of new Set(due.map((message) => message.wave ?? 0))) await dispatch(batch, wave);
    }
    throw new Error('The batch does not end');
  }

  async function expectSentOnce(batch: string, count: number): Promise<void> {
    const pushed = await dispatchAll(batch);
    expect([pushed.length, new Set(pushed).size]).toEqual([count, count]);
    expect(await record(batch)).not.toHaveProperty('change');
  }

  describe('reading', () => {
    it('lists them newest first, in pages, with filters, and without those of others', async () => {
      const second = await client.newDevice();
      const ids: string[] = [];
      for (let index = 0; index < 4; index++) {
        service.clock.advance(1_000);
        ids.unshift(await client.send(numbers(2), { deviceId: index === 0 ? second : device }));
      }
      service.clock.advance(1_000);
      const scheduledAt = inMs(HOUR);
      const scheduled = await client.send(numbers(3), {
        deviceId: device,
        scheduledAt: scheduledAt.toISOString(),
      });
      const list = async (query: string, of = client) =>
        (await of.get(`/gateway/batches?${query}`)).body as {
          data: BatchData[];
          meta: { nextCursor: string | null; hasMore: boolean };
        };
      const first = await list('limit=3');
      expect(first.data.map(({ _id }) => _id)).toEqual([scheduled, ...ids.slice(0, 2)]);
      expect(first.data[0]).toMatchObject({
        recipientCount: 3,
        devices: [device],
        scheduledAt: scheduledAt.toISOString(),
        message: 'Hello',
      });
      for (const field of ['groups', 'status', 'successCount', 'idempotencyKey', 'requestHash'])
        expect(first.data[0]).not.toHaveProperty(field);
      const rest = await list(`limit=3&cursor=${first.meta.nextCursor ?? ''}`);
      expect([rest.data.map(({ _id }) => _id), rest.meta]).toEqual([
        ids.slice(2),
        { limit: 3, nextCursor: null, hasMore: false },
      ]);
      const found = async (query: string) => (await list(query)).data.map(({ _id }) => _id);
      expect(await found(`deviceId=${second}`)).toEqual([ids[3]]);
      expect(await found('state=scheduled')).toEqual([scheduled]);
      expect(await found('state=paused')).toEqual([]);
      const single = await client.send(numbers(1), { deviceId: device });
      expect(await found('limit=1')).toEqual([single]);
      expect(await found('minRecipients=1&limit=1')).toEqual([single]);
      expect(await found('minRecipients=2')).toEqual([scheduled, ...ids]);
      expect(await found('minRecipients=3')).toEqual([scheduled]);
      expect(
        await found(`minRecipients=2&limit=1&to=${(await record(scheduled)).createdAt.toISOString()}`),
      ).toEqual([ids[0]]);
      await act(scheduled, 'pause');
      expect(await found('state=paused')).toEqual([scheduled]);
      const pool = new Types.ObjectId();
      await service
        .collection('batches')
        .updateOne(
          { _id: new Types.ObjectId(ids[0]) },
          { $set: { pool, devices: [new Types.ObjectId(device), new Types.ObjectId(second)] } },
        );
      expect(await found(`poolId=${pool.toHexString()}`)).toEqual([ids[0]]);
      expect(await found(`deviceId=${second}`)).toEqual([ids[0], ids[3]]);
      const { createdAt } = await record(ids[1] ?? '');
      expect(await found(`from=${createdAt.toISOString()}&state=scheduled`)).toEqual([scheduled]);
      expect(await found(`to=${createdAt.toISOString()}`)).toEqual(ids.slice(2));
      expect((await list('', await service.newAccount())).data).toEqual([]);
    });

    it.each([
      'deviceId=x',
      'poolId=x',
      'state=gone',
      'from=yesterday',
      'to=x',
      'cursor=x',
      'limit=ten',
      'minRecipients=two',
      'poolid=x',
    ])('rejects ?%s', async (query) => {
      const answer = await client.get(`/gateway/batches?${query}`);
      expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
      expect(JSON.stringify(answer.body)).toContain(query.split('=')[0]);
    });

    it('derives progress, SIMs and what is held back from its messages', async () => {
      const batch = await client.send(numbers(11), { deviceId: device });
      const ids = (await messages(batch)).map(({ _id }) => _id);
      const set = (from: number, to: number, fields: object) =>
        service.collection('messages').updateMany({ _id: { $in: ids.slice(from, to) } }, { $set: fields });
      const [sim, another] = [new Types.ObjectId(), new Types.ObjectId()];
      const [soon, late] = [inMs(HOUR), inMs(DAY)];
      const at = (ms: number) => ({ failedAt: inMs(ms), settledAt: inMs(ms), updatedAt: inMs(ms) });
      await set(0, 3, { sim, waitingFor: { reason: 'messages_per_day', until: late } });
      await set(3, 4, { sim, waitingFor: { reason: 'messages_per_day', until: soon } });
      await set(4, 5, { waitingFor: { reason: 'sim_disabled' } });
      await set(5, 6, { sim: another, status: 'sent', ...at(1_000) });
      await set(6, 7, { status: 'failed', errorCode: 'A', errorMessage: 'later', ...at(3_000) });
      await set(7, 8, { status: 'failed', errorCode: 'B', errorMessage: 'first', ...at(2_000) });
      await set(8, 9, { status: 'failed', errorCode: 'CANCELLED', errorMessage: 'no', ...at(500) });
      await set(9, 10, { sim, waitingFor: { reason: 'sim_unhealthy', until: soon } });
      await set(10, 11, { sim, waitingFor: { reason: 'sim_unhealthy' } });
      const data = await read(batch);
      expect(data).toMatchObject({
        status: 'processing',
        successCount: 1,
        failureCount: 3,
        cancelledCount: 1,
      });
      expect(data.error).toBe('first');
      expect(data.heldBack).toEqual([
        { reason: 'messages_per_day', count: 4, until: late.toISOString() },
        { reason: 'sim_unhealthy', count: 2 }, // one of them without a time
        { reason: 'sim_disabled', count: 1 },
      ]);
      const none = { pending: 0, dispatched: 0, sent: 0, delivered: 0, failed: 0, unknown: 0 };
      expect(data.sims).toEqual([
        { sim: sim.toHexString(), device, messages: 6, ...none, pending: 6 },
        { sim: another.toHexString(), device, messages: 1, ...none, sent: 1 },
      ]);
      expect(data.states).toEqual({ ...none, pending: ids.length - 4, sent: 1, failed: 3 });
      expect(data.expectedCompletionAt).toBe(late.toISOString());
      const { batch: specified } = await client.batch(device, batch);
      expect(data).toMatchObject(specified);
      await service
        .collection('messages')
        .updateMany({ smsBatch: new Types.ObjectId(batch) }, { $set: { status: 'delivered', ...at(9_000) } });
      expect(await read(batch)).toMatchObject((await client.batch(device, batch)).batch);
    });

    it('does not find batches of others', async () => {
      const batch = await client.send(numbers(1));
      const stranger = await service.newAccount();
      const answers = await Promise.all([
        stranger.get(`/gateway/batches/${batch}`),
        act(batch, 'pause', stranger),
        act(batch, 'resume', stranger),
        act(batch, 'cancel', stranger),
        reschedule(batch, inMs(HOUR), stranger),
      ]);
      expect(answers.map(codeOf)).toEqual(answers.map(() => '404 BATCH_NOT_FOUND'));
      expect(await record(batch)).not.toHaveProperty('pausedAt');
    });
  });

  describe('pausing', () => {
    it('has what is not claimed wait; resuming sends it at the pace of the phone, once', async () => {
      const batch = await client.send(numbers(100), { deviceId: device });
      await dispatch(batch, 0);
      const before = transport.pushed.length;
      expect(before).toBeGreaterThan(0);
      const paused = dataOf(await act(batch, 'pause'));
      expect(paused).toMatchObject({ status: 'processing', pausedAt: expect.any(String) as string });
      expect(paused.heldBack).toEqual([{ reason: 'paused', count: 100 - before }]);
      expect(paused).not.toHaveProperty('estimatedCompletionAt');
      service.clock.advance(2 * HOUR);
      for (let wave = 0; wave < 20; wave++) await dispatch(batch, wave);
      expect(transport.pushed.length).toBe(before);
      expect(dataOf(await act(batch, 'pause')).pausedAt).toBe(paused.pausedAt);

      const resumedAt = service.clock.now();
      const resumed = dataOf(await act(batch, 'resume'));
      expect([resumed.heldBack, resumed.pausedAt]).toEqual([[], undefined]);
      const times = (await messages(batch))
        .filter(({ status }) => status === 'pending')
        .map(({ nextDispatchAt }) => (nextDispatchAt?.getTime() ?? 0) - resumedAt.getTime());
      expect(times).toEqual(times.toSorted((one, two) => one - two));
      expect(times[0]).toBeLessThan(10_000);
      const lastMs = times.at(-1) ?? 0;
      const { durationMs = 0 } = (await record(batch)).groups[0] ?? {};
      const restMs = (durationMs * (100 - before)) / 100;
      expect([lastMs > 0.8 * restMs, lastMs <= restMs + 1_000]).toEqual([true, true]);
      expect(new Date(String(resumed.estimatedCompletionAt)).getTime()).toBeGreaterThan(
        resumedAt.getTime() + lastMs,
      );
      await expectSentOnce(batch, 100);
    });

    it('frees the time of the phone for other sends, and takes its turn after them', async () => {
      const campaign = await client.send(numbers(3_000), { deviceId: device });
      await act(campaign, 'pause');
      const urgent = await client.send(numbers(100), { deviceId: device });
      const [first] = await messages(urgent);
      expect((first?.nextDispatchAt?.getTime() ?? 0) - service.clock.now().getTime()).toBeLessThan(10_000);
      await act(campaign, 'resume');
      const [next] = await messages(campaign);
      const { groups } = await record(urgent);
      const endOfUrgent = (groups[0]?.startAt?.getTime() ?? 0) + (groups[0]?.durationMs ?? 0);
      expect(next?.nextDispatchAt?.getTime()).toBeGreaterThanOrEqual(endOfUrgent);
    });

    it('replans each group on its own phone', async () => {
      const second = await client.newDevice({ partsPerMinute: null });
      const batch = await client.send(numbers(100), { deviceId: device });
      await service
        .collection('batches')
        .updateOne(
          { _id: new Types.ObjectId(batch) },
          { $set: { 'groups.0.device': new Types.ObjectId(second) } },
        );
      await act(batch, 'pause');
      await act(batch, 'resume');
      const phone = await service.collection('devices').findOne({ _id: new Types.ObjectId(second) });
      expect((phone?.dispatchFreeAt as Date).getTime()).toBeGreaterThan(
        service.clock.now().getTime() + 80_000,
      );
    });

    it('a scheduled batch goes out at its time, or when it is resumed after that, not all at once', async () => {
      const scheduledAt = inMs(HOUR);
      const early = await client.send(numbers(100), { scheduledAt: scheduledAt.toISOString() });
      await act(early, 'pause');
      await act(early, 'resume');
      for (const message of await messages(early)) expect(message.nextDispatchAt).toEqual(scheduledAt);
      await act(early, 'pause');
      service.clock.advance(2 * HOUR);
      await act(early, 'resume');
      await expectSentOnce(early, 100);
      const times = new Set((await messages(early)).map(({ dispatchDueAt }) => dispatchDueAt?.getTime()));
      expect(times.size).toBeGreaterThan(5);
    });

    it('what became due at several times during a pause goes out at the pace of the phone', async () => {
      const entries = numbers(120).map((number, index) => ({
        message: 'x',
        recipients: [number],
        scheduledAt: inMs((1 + index) * 60_000).toISOString(),
      }));
      const answer = await client.post('/gateway/send-bulk-sms', { messages: entries, deviceId: device });
      const { smsBatchId } = (answer.body as { data: { smsBatchId: string } }).data;
      await act(smsBatchId, 'pause');
      service.clock.advance(100 * 60_000 + 30_000);
      const resumedAt = service.clock.now().getTime();
      await act(smsBatchId, 'resume');
      const due = (await messages(smsBatchId)).map(
        ({ nextDispatchAt }) => (nextDispatchAt?.getTime() ?? 0) - resumedAt,
      );
      const catchingUp = due.slice(0, 100);
      expect(new Set(catchingUp).size).toBe(100);
      expect((catchingUp.at(-1) ?? 0) - (catchingUp[0] ?? 0)).toBeGreaterThan(90_000);
      expect(due.slice(100).every((ms) => ms > 0)).toBe(true);
      await expectSentOnce(smsBatchId, 120);
    });

    it('a message is looked at again when it expires', async () => {
      const batch = await client.send(numbers(2), { deviceId: device });
      const [first] = await messages(batch);
      const validUntil = inMs(HOUR);
      await service.collection('messages').updateOne({ _id: first?._id }, { $set: { validUntil } });
      await act(batch, 'pause');
      const held = await messages(batch);
      expect(held[0]?.nextDispatchAt).toEqual(validUntil);
      expect(held[1]?.nextDispatchAt?.getTime()).toBeGreaterThan(validUntil.getTime());
    });

    it('a worker that has read the messages before does not push them after', async () => {
      const batch = await client.send(numbers(3), { deviceId: device });
      const claim = pauseNextCall(service, PushClaimsRepository, 'claim');
      const pushing = dispatch(batch, 0);
      await claim.reached;
      await act(batch, 'pause');
      claim.release(false);
      await pushing;
      expect(transport.pushed).toEqual([]);
      await act(batch, 'resume');
      await expectSentOnce(batch, 3);
    });

    it('messages that the push service does not take during the pause wait too', async () => {
      const batch = await client.send(numbers(3), { deviceId: device });
      transport.resultOf = async () => {
        await act(batch, 'pause');
        return { outcome: 'unavailable' };
      };
      await dispatch(batch, 0);
      transport.resultOf = () => ({ outcome: 'accepted' });
      transport.pushed.length = 0;
      service.clock.advance(10_000);
      await dispatch(batch, 0);
      expect(transport.pushed).toEqual([]);
      expect((await read(batch)).heldBack).toEqual([{ reason: 'paused', count: 3 }]);
      // A worker that has read the paused batch writes after the batch was resumed.
      service.clock.advance(61_000);
      const hold = pauseNextCall(service, PausedMessagesRepository, 'pause');
      const stale = dispatch(batch, 0);
      await hold.reached;
      await act(batch, 'resume');
      hold.release(false);
      await stale;
      await expectSentOnce(batch, 3);
    });

    it('a worker that has read the paused batch does not pause messages that have got another time', async () => {
      const batch = await client.send(numbers(120), { deviceId: device });
      await act(batch, 'pause');
      service.clock.advance(2 * DAY);
      const last = (await messages(batch)).at(-1)?.wave ?? 0;
      expect(last).toBeGreaterThan(0);
      const hold = pauseNextCall(service, PausedMessagesRepository, 'pause');
      const stale = dispatch(batch, last);
      await hold.reached;
      await act(batch, 'resume');
      const resumed = await messages(batch);
      expect(resumed.at(-1)?.nextDispatchAt?.getTime()).toBeGreaterThan(service.clock.now().getTime());
      hold.release(false);
      await stale;
      expect(await messages(batch)).toEqual(resumed);
      await expectSentOnce(batch, 120);
    });

    it('pauses and resumes at once, in two processes, end in one state', async () => {
      const batch = await client.send(numbers(60), { deviceId: device });
      const there = client.at(other.url);
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all([
          act(batch, 'pause'),
          act(batch, 'resume', there),
          act(batch, 'pause', there),
          act(batch, 'resume'),
        ]);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
        const { pausedAt } = await record(batch);
        const held = (await read(batch)).heldBack;
        expect(held).toEqual(pausedAt ? [{ reason: 'paused', count: 60 }] : []);
      }
      await Promise.all([act(batch, 'resume'), act(batch, 'resume', there)]);
      await expectSentOnce(batch, 60);
    });

    it.each(['pause', 'resume'] as const)('%s is completed if its process dies at any step', async (kind) => {
      const account = accountScope(client.user);
      for (let steps = 1, died = true; died; steps++) {
        const batch = await client.send(numbers(60), { deviceId: device });
        const id = new Types.ObjectId(batch);
        if (kind === 'resume') await act(batch, 'pause');
        died = await crashAfterSteps(steps, service, () => service.get(BatchChanges)[kind](account, id));
        service.clock.advance(31_000);
        await Promise.all([sweep(), sweep()]);
        const data = await read(batch);
        const isPaused = (await record(batch)).pausedAt !== undefined;
        expect([steps, data.heldBack]).toEqual([steps, isPaused ? [{ reason: 'paused', count: 60 }] : []]);
        if (!died || steps > 2) expect(isPaused).toBe(kind === 'pause');
        if (isPaused) await act(batch, 'resume');
        transport.pushed.length = 0;
        await expectSentOnce(batch, 60);
        expect(steps).toBeLessThan(30);
      }
    });
  });

  describe('rescheduling', () => {
    it('moves the batch and its charges to the new day', async () => {
      const batch = await client.send(numbers(60), { deviceId: device });
      expect(await usage()).toEqual({ today: 60, later: {} });
      const [first, second] = [inMs(2 * DAY), inMs(25 * DAY)];
      const data = dataOf(await reschedule(batch, first));
      expect(data).toMatchObject({ status: 'pending', scheduledAt: first.toISOString(), heldBack: [] });
      expect(new Date(String(data.estimatedCompletionAt)).getTime()).toBeGreaterThan(first.getTime());
      expect(await usage()).toEqual({ today: 0, later: { [dayOf(first)]: 60 } });
      await reschedule(batch, second);
      expect(await usage()).toEqual({ today: 0, later: { [dayOf(second)]: 60 } });
      for (const message of await messages(batch))
        expect(message).toMatchObject({ nextDispatchAt: second, dispatchDueAt: second });
      const phone = await service.collection('devices').findOne({ _id: new Types.ObjectId(device) });
      expect((phone?.dispatchFreeAt as Date).getTime()).toBeLessThanOrEqual(service.clock.now().getTime());
      await dispatch(batch, 0);
      expect(transport.pushed).toEqual([]);
      await expectSentOnce(batch, 60);
      expect(service.clock.now().getTime()).toBeGreaterThan(second.getTime());
      expect(
        new Set((await messages(batch)).map(({ dispatchDueAt }) => dispatchDueAt?.getTime())).size,
      ).toBeGreaterThan(3);
    });

    it('counts towards the limits of the new day and month, and changes nothing if they are full', async () => {
      const onPlan = (plan: string) =>
        service.collection('accounts').updateOne({ _id: client.user }, { $set: { plan } });
      await onPlan('days');
      const [tomorrow, later] = [inMs(DAY), inMs(2 * DAY)];
      await client.send(numbers(3), { scheduledAt: tomorrow.toISOString() });
      const batch = await client.send(numbers(3), { scheduledAt: later.toISOString() });
      const before = [await usage(), await record(batch), await messages(batch)];
      const answer = await reschedule(batch, tomorrow);
      expect(codeOf(answer)).toBe('429 PLAN_LIMIT_REACHED');
      expect(answer.body).toMatchObject({ limit: 'daily', dailyRemaining: 2 });
      expect([await usage(), await record(batch), await messages(batch)]).toEqual(before);
      // Found too late for the check before.
      jest.spyOn(service.get(BillingService), 'assertCanMove').mockResolvedValueOnce();
      expect(codeOf(await reschedule(batch, tomorrow))).toBe('429 PLAN_LIMIT_REACHED');
      expect(await usage()).toEqual(before[0]);
      expect(await record(batch)).not.toHaveProperty('change');
      for (const message of await messages(batch)) {
        expect(message).toMatchObject({ nextDispatchAt: later, dispatchDueAt: later });
        expect(message).not.toHaveProperty('waitingFor');
      }

      client = await service.newAccount();
      await client.newDevice();
      await onPlan('months');
      const full = await client.send(numbers(5), { scheduledAt: tomorrow.toISOString() });
      expect((await reschedule(full, later)).status).toBe(200);
      expect(await usage()).toEqual({ today: 0, later: { [dayOf(later)]: 5 } });
      const nextMonth = inMs(25 * DAY);
      await client.send(numbers(4), { scheduledAt: nextMonth.toISOString() });
      expect(codeOf(await reschedule(full, nextMonth))).toBe('429 PLAN_LIMIT_REACHED');
    });

    it.each([
      ['2020-01-01T00:00:00Z', 'in the future'],
      ['2027-01-01T00:00:00', 'zone'],
      ['tomorrow', 'zone'],
      ['9999-01-01T00:00:00Z', '30 days'],
    ])('rejects %s', async (time, text) => {
      const batch = await client.send(numbers(1));
      const answer = await reschedule(batch, time);
      expect(codeOf(answer)).toBe('400 VALIDATION_FAILED');
      expect(JSON.stringify(answer.body)).toContain(text);
      expect((await client.patch(`/gateway/batches/${batch}`, {})).status).toBe(400);
    });

    it('rejects batches that have begun, have several times, or expire before', async () => {
      const begun = await client.send(numbers(60), { deviceId: device });
      await dispatch(begun, 0);
      const before = [await record(begun), await messages(begun)];
      expect(codeOf(await reschedule(begun, inMs(HOUR)))).toBe('400 BATCH_STARTED');
      expect([await record(begun), await messages(begun)]).toEqual(before);
      const cancelled = await client.send(numbers(2));
      await act(cancelled, 'cancel');
      expect(codeOf(await reschedule(cancelled, inMs(HOUR)))).toBe('400 BATCH_STARTED');
      const entries = [1, 2].map((hours) => ({
        message: 'x',
        recipients: numbers(1),
        scheduledAt: inMs(hours * HOUR).toISOString(),
      }));
      const bulk = await client.post('/gateway/send-bulk-sms', { messages: entries });
      const { smsBatchId } = (bulk.body as { data: { smsBatchId: string } }).data;
      expect(codeOf(await reschedule(smsBatchId, inMs(3 * HOUR)))).toBe('400 BATCH_HAS_SEVERAL_TIMES');
      const expiring = await client.send(numbers(1));
      const validUntil = inMs(HOUR);
      await service
        .collection('batches')
        .updateOne({ _id: new Types.ObjectId(expiring) }, { $set: { validUntil } });
      expect(codeOf(await reschedule(expiring, inMs(2 * HOUR)))).toBe('400 VALIDATION_FAILED');
    });

    it('either a worker claims the messages or they are rescheduled', async () => {
      const later = inMs(DAY);
      const late = await client.send(numbers(3), { deviceId: device });
      const claim = pauseNextCall(service, PushClaimsRepository, 'claim');
      const pushing = dispatch(late, 0);
      await claim.reached;
      expect((await reschedule(late, later, client.at(other.url))).status).toBe(200);
      claim.release(false);
      await pushing;
      expect(transport.pushed).toEqual([]);
      for (const message of await messages(late)) expect(message.nextDispatchAt).toEqual(later);

      const early = await client.send(numbers(3), { deviceId: device });
      const hold = pauseNextCall(service, PausedMessagesRepository, 'pause');
      const rescheduling = reschedule(early, later).then(codeOf);
      await hold.reached;
      // Claimed by a worker that had read the batch before.
      const ids = (await messages(early)).map((each) => ({
        id: each._id,
        user: each.user,
        device: each.device,
        dispatchAttempts: 0,
      }));
      await other.get(PushClaimsRepository).claim(ids.slice(0, 1), later, service.clock.now());
      hold.release(false);
      expect(await rescheduling).toBe('400 BATCH_STARTED');
      expect(await usage()).toEqual({ today: 3, later: { [dayOf(later)]: 3 } });
      const [, waiting] = await messages(early);
      expect(waiting?.nextDispatchAt?.getTime()).toBeLessThanOrEqual(service.clock.now().getTime());
      await dispatch(early, 0);
      expect(transport.pushed.length).toBe(2);
    });

    it('while paused keeps it paused', async () => {
      const batch = await client.send(numbers(60), { deviceId: device });
      await act(batch, 'pause');
      const later = inMs(DAY);
      expect(dataOf(await reschedule(batch, later))).toMatchObject({
        scheduledAt: later.toISOString(),
        heldBack: [{ reason: 'paused', count: 60 }],
      });
      await act(batch, 'resume');
      for (const message of await messages(batch)) expect(message.nextDispatchAt).toEqual(later);
      await expectSentOnce(batch, 60);
    });

    it('while paused ends although its messages took long to write', async () => {
      const batch = await client.send(numbers(3), { deviceId: device });
      await act(batch, 'pause');
      const later = inMs(DAY);
      const hold = pauseNextCall(service, PausedMessagesRepository, 'setDueTime');
      const rescheduling = reschedule(batch, later).then(dataOf);
      await hold.reached;
      service.clock.advance(6_000);
      hold.release(false);
      expect(await rescheduling).toMatchObject({ scheduledAt: later.toISOString() });
      expect(await record(batch)).not.toHaveProperty('change');
      await act(batch, 'resume').expect(200);
    });

    it('is refused for a message that its phone failed with a code of the service', async () => {
      const batch = await client.send(numbers(1), { deviceId: device });
      await dispatch(batch, 0);
      const [message] = await messages(batch);
      const report = client.report(device, String(message?._id), 'FAILED', { errorCode: 'EXPIRED' });
      await report.expect(200);
      expect(codeOf(await reschedule(batch, inMs(DAY)))).toBe('400 BATCH_STARTED');
    });

    it('and cancelling at once charge nothing in the end', async () => {
      for (let round = 0; round < 4; round++) {
        const batch = await client.send(numbers(5), { deviceId: device });
        await act(batch, 'cancel').expect(200);
        const raced = await client.send(numbers(5), { deviceId: device });
        const answers = await Promise.all([
          reschedule(raced, inMs(DAY)),
          act(raced, 'cancel', client.at(other.url)),
          client.post(`/gateway/devices/${device}/sms-batch/${raced}/cancel`),
        ]);
        expect([200, 400]).toContain(answers[0].status);
        expect(answers[1].status).toBe(200);
        await act(raced, 'cancel').expect(200);
        expect(await usage()).toEqual({ today: 0, later: {} });
      }
    });

    it('is completed or undone if its process dies at any step', async () => {
      const account = accountScope(client.user);
      for (let steps = 1, died = true; died; steps++) {
        const batch = await client.send(numbers(60), { deviceId: device });
        const later = inMs(DAY);
        died = await crashAfterSteps(steps, service, () =>
          service.get(BatchChanges).reschedule(account, new Types.ObjectId(batch), later.toISOString()),
        );
        service.clock.advance(31_000);
        await Promise.all([sweep(), sweep()]);
        const { scheduledAt, heldBack } = await read(batch);
        expect([steps, heldBack]).toEqual([steps, []]);
        expect(await usage()).toEqual(
          scheduledAt ? { today: 0, later: { [dayOf(later)]: 60 } } : { today: 60, later: {} },
        );
        if (!died) expect(scheduledAt).toBe(later.toISOString());
        await act(batch, 'cancel').expect(200);
        expect(await usage()).toEqual({ today: 0, later: {} });
        expect(await record(batch)).not.toHaveProperty('change');
        expect(steps).toBeLessThan(40);
      }
    });
  });

  describe('cancelling', () => {
    it('cancels on all phones, also a paused batch, once', async () => {
      const second = await client.newDevice({ supportsCancel: true });
      const batch = await client.send(numbers(6), { deviceId: device });
      const ids = (await messages(batch)).map(({ _id }) => _id);
      const devices = [device, second].map((id) => new Types.ObjectId(id));
      await service
        .collection('batches')
        .updateOne({ _id: new Types.ObjectId(batch) }, { $set: { devices } });
      const onSecond = { _id: { $in: ids.slice(2) } };
      await service.collection('messages').updateMany(onSecond, { $set: { device: devices[1] } });
      const notDue = { _id: { $in: ids.slice(4) } };
      await service.collection('messages').updateMany(notDue, { $set: { nextDispatchAt: inMs(HOUR) } });
      await dispatch(batch, 0);
      await act(batch, 'pause');
      const expected = { success: true, cancelledCount: 2, requestedCount: 4 };
      expect(dataOf(await act(batch, 'cancel'))).toEqual(expected);
      expect(dataOf(await act(batch, 'cancel'))).toEqual(expected);
      expect(transport.cancelled.slice(0, 2).map((each) => each.length)).toEqual([2, 2]);
      expect(await usage()).toEqual({ today: 4, later: {} });
    });
  });
});
