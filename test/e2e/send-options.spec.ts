import { Types } from 'mongoose';
import { BillingService } from '../../src/billing/billing.service';
import { CancellationRepository } from '../../src/gateway/cancellation/cancellation.repository';
import { ExpiryService } from '../../src/gateway/cancellation/expiry.service';
import { PushClaimsRepository } from '../../src/gateway/dispatch/push-claims.repository';
import { PushClient } from '../../src/push/push-client.service';
import { BatchRecoveryScheduler } from '../../src/gateway/batch-recovery.scheduler';
import { BatchCancellationsRepository } from '../../src/gateway/cancellation/batch-cancellations.repository';
import type { TestClient } from '../support/client';
import { crashAtCall, type CrashPoint } from '../support/crash-at-call';
import { pauseNextCall } from '../support/pause-next-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const BERLIN = '+4915112345678';
const NEW_YORK = '+12125551234';
const NIGHT = { from: '21:00', to: '08:00' };
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

describe('send options', () => {
  let service: TestService;
  let other: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  // Two processes of one installation. No worker and no timer runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    other = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, shared: service });
    for (const each of [service, other]) {
      each.stopTimers();
      each.clock.stop();
    }
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    client = await service.newAccount();
    device = await client.newDevice({ simInfo: { sims: [{ subscriptionId: 1, simSlotIndex: 0 }] } });
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const advance = (ms: number) => {
    service.clock.advance(ms);
    other.clock.advance(service.clock.now().getTime() - other.clock.now().getTime());
  };
  const advanceTo = (time: string) => {
    advance(Date.parse(time) - service.clock.now().getTime());
  };
  const dispatch = (batch: string, wave = 0) => dispatchWave(service, batch, wave);
  const expire = (on = service) => on.get(ExpiryService).expireDue();
  const recover = () => service.get(BatchRecoveryScheduler).sweep();
  const messagesOf = async (batch: string) => (await client.batch(device, batch)).messages;
  const statusesOf = async (batch: string) => (await messagesOf(batch)).map(({ status }) => status);
  const only = async (batch: string) => (await messagesOf(batch))[0];
  const stored = (batch: string) => service.collection('batches').findOne({ _id: new Types.ObjectId(batch) });
  const used = async () => {
    const usage = await service.collection('usages').findOne({ _id: client.user });
    return Number(usage?.dayCount ?? 0);
  };
  const limit = async (limits: object) => {
    const { data } = (await client.get('/gateway/sims')).body as { data: { _id: string; device: string }[] };
    const sim = data.find((each) => each.device === device)?._id ?? 'missing';
    expect((await client.patch(`/gateway/sims/${sim}`, { limits })).status).toBe(200);
  };

  describe('a deadline', () => {
    it('fails what waits at that time, not before, and gives it back to the plan', async () => {
      await limit({ messagesPerDay: 1 });
      const batch = await client.send(numbers(3), { validForSeconds: 60 });
      await dispatch(batch);
      const [, waiting] = await messagesOf(batch);
      expect(waiting).toMatchObject({ waitingFor: { reason: 'messages_per_day' } });
      expect(Date.parse(String(waiting?.validUntil))).toBe(service.clock.now().getTime() + MINUTE);
      advance(MINUTE - 1);
      await expire();
      expect(await statusesOf(batch)).toEqual(['dispatched', 'pending', 'pending']);
      advance(1);
      await dispatch(batch);
      await Promise.all([expire(), expire(other), expire(), expire(other)]);
      expect(await statusesOf(batch)).toEqual(['dispatched', 'failed', 'failed']);
      expect((await messagesOf(batch))[1]).toMatchObject({
        errorCode: 'EXPIRED',
        errorMessage: expect.stringContaining('deadline') as string,
      });
      expect(await used()).toBe(1);
      expect((await client.batch(device, batch)).batch).toMatchObject({ failureCount: 2, cancelledCount: 0 });
      expect(await stored(batch)).not.toHaveProperty('cancellingSince');
      const message = await service.collection('messages').findOne({ _id: new Types.ObjectId(waiting?._id) });
      expect(message).toMatchObject({ outbox: [{ event: 'MESSAGE_FAILED' }] });
      expect(message).not.toHaveProperty('waitingFor');
    });

    it.each<[string, CrashPoint, 'before' | 'after']>([
      ['before it is recorded', crashAtCall(BatchCancellationsRepository, 'startMany'), 'before'],
      ['after it is recorded', crashAtCall(BatchCancellationsRepository, 'startMany'), 'after'],
      ['after the messages failed', crashAtCall(CancellationRepository, 'expire'), 'after'],
      ['before the refund', crashAtCall(BillingService, 'refund'), 'before'],
      ['after the refund', crashAtCall(BillingService, 'refund'), 'after'],
      ['after some batches are finished', crashAtCall(BatchCancellationsRepository, 'finishMany'), 'before'],
    ])('is refunded once if the process dies %s', async (_, crash, when) => {
      const scheduledAt = new Date(service.clock.now().getTime() + 30 * HOUR).toISOString();
      const batches = [
        await client.send(numbers(2), { validForSeconds: 60 }),
        await client.send(numbers(3), { validForSeconds: 60 }),
        await client.send(numbers(1)),
        await client.send(numbers(1), { scheduledAt }),
      ];
      advance(MINUTE);
      crash(service, when);
      await expire();
      advance(16 * SECOND);
      await Promise.all([recover(), expire(other)]);
      await expire();
      advance(16 * SECOND);
      await recover();
      const statuses = await Promise.all(batches.map(statusesOf));
      expect(statuses.map(([status]) => status)).toEqual(['failed', 'failed', 'pending', 'pending']);
      const usage = await service.collection('usages').findOne({ _id: client.user });
      const days = Object.values((usage?.days ?? {}) as Record<string, number>);
      expect(Number(usage?.dayCount) + days.reduce((sum, count) => sum + count, 0)).toBe(2);
      for (const batch of batches) expect(await stored(batch)).not.toHaveProperty('cancellations');
    });

    it('is never missed by a claim, and never hits a message that is claimed', async () => {
      const [late, claimed, returned] = [
        await client.send(numbers(1), { validForSeconds: 60 }),
        await client.send(numbers(1), { validForSeconds: 60 }),
        await client.send(numbers(1), { validForSeconds: 60 }),
      ];
      const paused = pauseNextCall(service, PushClaimsRepository, 'claim');
      const dispatched = dispatch(late);
      await paused.reached;
      const handedOver = pauseNextCall(service, PushClient, 'push');
      const pushing = dispatch(claimed);
      await handedOver.reached;
      transport.resultOf = () => ({ outcome: 'unavailable' });
      await dispatch(returned);
      advance(MINUTE);
      await expire();
      expect(await statusesOf(late)).toEqual(['failed']);
      expect(await statusesOf(claimed)).toEqual(['pending']);
      expect(await statusesOf(returned)).toEqual(['failed']);
      transport.resultOf = () => ({ outcome: 'accepted' });
      paused.release(false);
      handedOver.release(false);
      await Promise.all([dispatched, pushing]);
      expect(await statusesOf(late)).toEqual(['failed']);
      expect(await statusesOf(claimed)).toEqual(['dispatched']);
      expect(await used()).toBe(1);
    });

    it('also fails a message that waits for another SIM of its pool', async () => {
      const batch = await client.send(numbers(2), { validForSeconds: 60 });
      await dispatch(batch);
      const [moving] = await messagesOf(batch);
      await service
        .collection('messages')
        .updateOne({ _id: new Types.ObjectId(moving?._id) }, { $set: { moveDueAt: service.clock.now() } });
      advance(MINUTE);
      await expire();
      expect(await statusesOf(batch)).toEqual(['failed', 'dispatched']);
      expect(await used()).toBe(1);
      const message = await service.collection('messages').findOne({ _id: new Types.ObjectId(moving?._id) });
      expect(message).not.toHaveProperty('moveDueAt');
    });

    it('is handed to the phone, which gets the message again until then', async () => {
      const batch = await client.send(numbers(1), { validForSeconds: 60 });
      await dispatch(batch);
      const pending = async () =>
        ((await client.get(`/gateway/devices/${device}/messages/pending`)).body as { data: object[] }).data;
      const validUntil = new Date(service.clock.now().getTime() + MINUTE).toISOString();
      expect(await pending()).toMatchObject([{ validUntil }]);
      advance(MINUTE);
      await expire();
      expect(await pending()).toEqual([]);
      expect(await statusesOf(batch)).toEqual(['dispatched']);
    });
  });

  describe('urgent', () => {
    it('overtakes a campaign on a slow phone, which then waits for the pace', async () => {
      await client.patch(`/gateway/devices/${device}`, { partsPerMinute: 4 });
      const campaign = await client.send(numbers(60));
      const [normal, urgent] = [
        await client.send(numbers(60)),
        await client.send(numbers(60), { priority: 'urgent' }),
      ];
      const now = service.clock.now();
      const startOf = async (batch: string) =>
        ((await stored(batch)) as { groups?: { startAt?: Date }[] } | null)?.groups?.[0]?.startAt;
      expect(await startOf(campaign)).toEqual(now);
      expect(await startOf(normal)).toEqual(new Date(now.getTime() + 15 * MINUTE));
      expect(await startOf(urgent)).toEqual(now);
      await dispatch(campaign);
      await dispatch(urgent);
      expect(transport.pushed.length).toBe(2);
      advance(15 * SECOND);
      await dispatch(campaign, 1);
      await dispatch(urgent, 1);
      expect(transport.pushed.length).toBe(3);
      const waiting = (await messagesOf(campaign)).find(({ waitingFor }) => waitingFor !== undefined);
      expect(waiting).toMatchObject({ waitingFor: { reason: 'parts_per_minute' } });
      expect(waiting).not.toHaveProperty('priority');
      expect((await messagesOf(urgent))[1]).toMatchObject({ status: 'dispatched', priority: 'urgent' });
    });

    it('overtakes a campaign on a SIM with a pace of its own, within its limits', async () => {
      await limit({ partsPerMinute: 4, messagesPerMonth: 3 });
      const campaign = await client.send(numbers(3));
      const urgent = await client.send([BERLIN], { priority: 'urgent' });
      await dispatch(campaign);
      await dispatch(urgent);
      expect(transport.pushed.length).toBe(1);
      advance(15 * SECOND);
      await dispatch(campaign);
      expect(transport.pushed.length).toBe(1);
      await dispatch(urgent);
      expect(await statusesOf(urgent)).toEqual(['dispatched']);
      advance(MINUTE);
      await dispatch(campaign);
      advance(MINUTE);
      await dispatch(campaign);
      const last = await client.send([BERLIN], { priority: 'urgent' });
      await dispatch(last);
      expect(await only(last)).toMatchObject({ waitingFor: { reason: 'messages_per_month' } });
    });

    it('neither takes nor releases time of the phone when it is scheduled and cancelled', async () => {
      const freeAt = async () =>
        (await service.collection('devices').findOne({ _id: new Types.ObjectId(device) }))?.dispatchFreeAt as
          Date | undefined;
      await client.send(numbers(60));
      const before = await freeAt();
      const scheduledAt = new Date(service.clock.now().getTime() + MINUTE).toISOString();
      const batch = await client.send(numbers(60), { priority: 'urgent', scheduledAt });
      advance(MINUTE);
      await dispatch(batch); // plans it
      await dispatch(batch);
      expect((await statusesOf(batch)).filter((status) => status === 'dispatched')).toHaveLength(1);
      await client.post(`/gateway/devices/${device}/sms-batch/${batch}/cancel`);
      expect(await freeAt()).toEqual(before);
    });
  });

  describe('quiet hours', () => {
    it('hold messages by the clock of each recipient, also when the clock is put forward', async () => {
      advanceTo('2027-03-27T22:00:00Z');
      const batch = await client.send([BERLIN, NEW_YORK], { quietHours: NIGHT });
      await dispatch(batch);
      const until = '2027-03-28T06:00:00.000Z';
      const [held, free] = await messagesOf(batch);
      expect(held).toMatchObject({ waitingFor: { reason: 'quiet_hours', until }, dispatchDueAt: until });
      expect(free).toMatchObject({ status: 'dispatched' });
      advanceTo('2027-03-28T05:59:59Z');
      await dispatch(batch);
      expect(await only(batch)).toMatchObject({ status: 'pending' });
      advanceTo(until);
      await dispatch(batch);
      expect(await only(batch)).toMatchObject({ status: 'dispatched' });
      expect(await only(batch)).not.toHaveProperty('waitingFor');
    });

    it('do not hold urgent messages', async () => {
      advanceTo('2027-03-28T22:00:00Z');
      const batch = await client.send([BERLIN], { quietHours: NIGHT, priority: 'urgent' });
      await dispatch(batch);
      expect(await only(batch)).toMatchObject({ status: 'dispatched' });
    });

    it('use the time zone of the phone for numbers without one', async () => {
      advanceTo('2027-03-30T03:00:00Z');
      await client.post(`/gateway/devices/${device}/heartbeat`, { timezone: 'Asia/Tokyo' });
      const batch = await client.send(['12345'], { quietHours: NIGHT });
      await dispatch(batch);
      expect(await only(batch)).toMatchObject({ status: 'dispatched' });
    });

    it('end after the deadline: the message expires at its deadline', async () => {
      advanceTo('2027-03-30T22:00:00Z');
      const batch = await client.send([BERLIN], { quietHours: NIGHT, validForSeconds: 3_600 });
      await dispatch(batch);
      expect(await only(batch)).toMatchObject({ waitingFor: { reason: 'quiet_hours' } });
      advance(HOUR);
      await expire();
      expect(await only(batch)).toMatchObject({ status: 'failed', errorCode: 'EXPIRED' });
    });

    it('shift the waves of a campaign, and its estimate, by as much', async () => {
      advanceTo('2027-04-01T18:59:00Z');
      const body = { message: 'Hello', recipients: numbers(60), quietHours: NIGHT };
      const { data } = (await client.post('/gateway/estimates', body)).body as {
        data: { heldBack: { count: number; until: string }[]; estimatedCompletionAt: string };
      };
      const until = '2027-04-02T06:00:00.000Z';
      // One leaves every 5 s.
      expect(data.heldBack).toEqual([{ reason: 'quiet_hours', count: 48, until }]);
      expect(data.estimatedCompletionAt).toBe('2027-04-02T06:04:00.000Z');
      const batch = await client.send(body.recipients, { quietHours: NIGHT });
      expect(await stored(batch)).toMatchObject({
        estimatedCompletionAt: new Date(data.estimatedCompletionAt),
      });
      advanceTo('2027-04-01T20:00:00Z');
      for (const wave of [12, 13, 29]) await dispatch(batch, wave);
      const due = (await messagesOf(batch)).flatMap(({ waitingFor, dispatchDueAt }) =>
        waitingFor ? [(Date.parse(String(dispatchDueAt)) - Date.parse(until)) / SECOND] : [],
      );
      expect(due).toEqual([0, 5, 85]);
      // The sender changes its SIM: the messages are decided on again, and wait for the same time.
      await service
        .collection('messages')
        .updateMany(
          { smsBatch: new Types.ObjectId(batch), wave: 29 },
          { $set: { nextDispatchAt: new Date(0) } },
        );
      await dispatch(batch, 29);
      expect((await messagesOf(batch))[29]?.dispatchDueAt).toBe('2027-04-02T06:01:25.000Z');
    });
  });

  describe('in a request', () => {
    const refusal = async (path: string, body: object) => {
      const answer = await client.post(`/gateway/${path}`, body);
      return [
        answer.status,
        (answer.body as { details?: { field: string }[] }).details?.map(({ field }) => field),
      ];
    };
    const entry = { message: 'Hello', recipients: [BERLIN] };

    it.each<[string, object, string]>([
      ['a priority', { ...entry, priority: 'high' }, 'priority'],
      ['a time of day', { ...entry, quietHours: { from: '9:00', to: '10:00' } }, 'quietHours.from'],
      ['a window without an end', { ...entry, quietHours: { from: '09:00' } }, 'quietHours.to'],
      ['a short validity', { ...entry, validForSeconds: 9 }, 'validForSeconds'],
      ['a misspelt field', { ...entry, validUntill: '2030-01-01T00:00:00Z' }, 'validUntill'],
    ])('refuse %s with 400 naming the field', async (_, body, field) => {
      for (const path of ['send-sms', 'estimates', `devices/${device}/send-sms`])
        expect(await refusal(path, body)).toEqual([400, [field]]);
      expect(await used()).toBe(0);
    });

    it('stand beside messages, not in them', async () => {
      const misplaced = { messages: [{ ...entry, priority: 'urgent' }] };
      expect(await refusal('send-bulk-sms', misplaced)).toEqual([400, ['messages.0.priority']]);
      const body = { messages: [entry], priority: 'urgent', validForSeconds: 60, quietHours: NIGHT };
      expect((await client.post('/gateway/send-bulk-sms', body)).status).toBe(200);
    });

    it('do not take the names from and to away from other fields', async () => {
      const answer = await client.post('/gateway/send-sms', { ...entry, from: 'Shop', to: 'you' });
      expect([answer.status, answer.headers['x-ignored-fields']]).toEqual([200, 'from, to']);
    });

    it('are part of what an idempotency key stands for', async () => {
      const send = (body: object) =>
        client.post('/gateway/send-sms', { ...entry, ...body }).set('idempotency-key', 'key');
      const first = { priority: 'urgent', quietHours: NIGHT };
      expect((await send(first)).status).toBe(200);
      expect((await send(first)).headers['idempotency-replayed']).toBe('true');
      for (const changed of [
        {},
        { ...first, quietHours: { ...NIGHT, to: '07:00' } },
        { validForSeconds: 60 },
      ])
        expect((await send(changed)).body).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    });
  });
});
