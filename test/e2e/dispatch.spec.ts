import { setTimeout as sleep } from 'node:timers/promises';
import { getQueueToken } from '@nestjs/bull';
import type { Queue } from 'bull';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { AccountTurns } from '../../src/auth/limits/account-turns.service';
import { DISPATCH_QUEUE, DispatchQueue } from '../../src/gateway/waves/dispatch.queue';
import { DispatchScheduler } from '../../src/gateway/dispatch/dispatch.scheduler';
import { WaveDispatcher } from '../../src/gateway/dispatch/wave-dispatcher.service';
import { UnconfirmedMessagesService } from '../../src/phones/checks/unconfirmed-messages.service';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import { Message } from '../../src/messages/message.schema';
import { MessagesRepository } from '../../src/messages/messages.repository';
import { BatchesRepository } from '../../src/messages/batches.repository';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { pauseNextCall } from '../support/pause-next-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NUMBER = '+4915112345678';
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

describe('dispatch', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  // No worker runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    service.stopTimers();
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => {
    service.clock.resume();
  });
  afterAll(() => service.stop());

  const dispatch = (batch: string, wave = 0) => dispatchWave(service, batch, wave);

  const stored = (batch: string): Promise<Message[]> =>
    service
      .get(MessagesRepository)
      .listByBatch(accountScope(client.user), new Types.ObjectId(batch), undefined, 10_000);

  async function only(batch: string): Promise<Message> {
    const [message] = await stored(batch);
    if (!message) throw new Error('No message was stored');
    return message;
  }

  it('pushes a message once and stores the result', async () => {
    const batch = await client.send([NUMBER]);
    await dispatch(batch);
    await dispatch(batch);
    const message = await only(batch);
    expect(transport.pushed).toEqual([message._id.toHexString()]);
    expect(message).toMatchObject({
      status: 'dispatched',
      dispatchAttempts: 1,
      dispatchedAt: expect.any(Date) as Date,
    });
    expect(message).not.toHaveProperty('dispatchDueAt');
    expect(message).not.toHaveProperty('pushStartedAt');
  });

  it('accepts a small send while long work of its account keeps others waiting', async () => {
    const turns = service.get(AccountTurns);
    let end = (): void => undefined;
    const work = new Promise<void>((resolve) => (end = resolve));
    turns.noteActive(accountScope(new Types.ObjectId()));
    const long = turns.parts(accountScope(client.user))(() => work);
    const accepted = client.send([NUMBER, '+4915112345679']);
    const keepActive = setInterval(() => {
      turns.noteActive(accountScope(new Types.ObjectId()));
    }, 100);
    const first = await Promise.race([accepted.then(() => 'accepted'), sleep(10_000, 'waited')]);
    clearInterval(keepActive);
    end();
    await long;
    expect(first).toBe('accepted');
    await dispatch(await accepted);
  });

  it('awaits a message that is due by the clock of another host only', async () => {
    const batch = await client.send([NUMBER]);
    service.clock.skip(-600);
    await dispatch(batch);
    service.clock.skip(600);
    expect((await only(batch)).status).toBe('dispatched');
  });

  it('dispatches the wave of a job of an earlier version, which does not name the account', async () => {
    const batch = await client.send([NUMBER]);
    await service.get(WaveDispatcher).dispatchQueued({ batch, wave: 0 });
    expect((await only(batch)).status).toBe('dispatched');
    await service.get(WaveDispatcher).dispatchQueued({ batch: new Types.ObjectId().toHexString(), wave: 0 });
    expect(transport.pushed).toHaveLength(1);
  });

  it('pushes each message once when several workers dispatch the same wave', async () => {
    const other = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service, transport });
    await client.patch(`/gateway/devices/${device}`, { partsPerMinute: null });
    const batch = await client.send(numbers(50));
    await Promise.all(
      [service, other, service, other, service, other].map((each) => dispatchWave(each, batch)),
    );
    expect(transport.pushed.length).toBe(50);
    expect(new Set(transport.pushed).size).toBe(50);
    expect((await stored(batch)).map(({ status, dispatchAttempts }) => [status, dispatchAttempts])).toEqual(
      Array.from({ length: 50 }, () => ['dispatched', 1]),
    );
    await other.stop();
  });

  it('does nothing for a batch that is not accepted', async () => {
    const batch = await client.send([NUMBER]);
    await service
      .collection('batches')
      .updateOne({ _id: new Types.ObjectId(batch) }, { $set: { acceptance: 'accepting' } });
    await dispatch(batch);
    expect(transport.pushed).toEqual([]);
    expect((await only(batch)).status).toBe('pending');
    expect((await client.get(`/gateway/devices/${device}/sms-batch/${batch}`)).status).toBe(404);
  });

  it('pushes nothing of a removed batch, and removes the messages that a stalled process stored', async () => {
    const batch = await client.send([NUMBER]);
    await service.collection('batches').deleteOne({ _id: new Types.ObjectId(batch) });
    await dispatch(batch);
    expect((await only(batch)).status).toBe('pending'); // its send may still be in progress
    service.clock.advance(61_000);
    await dispatch(batch);
    expect(await stored(batch)).toEqual([]);
    expect(transport.pushed).toEqual([]);
  });

  it('fails a message that the push service refuses, raises its event, and removes an invalid token', async () => {
    await service
      .collection('devices')
      .updateOne({ _id: new Types.ObjectId(device) }, { $set: { fcmToken: 'dead' } });
    transport.resultOf = () => ({ outcome: 'refused', code: 'PUSH_TOKEN_INVALID', isTokenInvalid: true });
    const batch = await client.send([NUMBER, NUMBER]);
    await dispatch(batch);
    expect(await only(batch)).toMatchObject({
      status: 'failed',
      errorCode: 'PUSH_TOKEN_INVALID',
      errorMessage: expect.stringContaining('Open the app') as string,
      outbox: [{ event: 'MESSAGE_FAILED' }],
      raised: ['MESSAGE_FAILED'],
    });
    expect((await client.batch(device, batch)).batch).toMatchObject({ status: 'failed', failureCount: 2 });
    expect(await service.collection('devices').countDocuments({ fcmToken: 'dead' })).toBe(0);
  });

  it('keeps a token that the phone has registered meanwhile', async () => {
    const id = new Types.ObjectId(device);
    await service.collection('devices').updateOne({ _id: id }, { $set: { fcmToken: 'old' } });
    transport.resultOf = async () => {
      await service.collection('devices').updateOne({ _id: id }, { $set: { fcmToken: 'fresh' } });
      return { outcome: 'refused', code: 'PUSH_TOKEN_INVALID', isTokenInvalid: true };
    };
    await dispatch(await client.send([NUMBER]));
    expect(await service.collection('devices').countDocuments({ fcmToken: 'fresh' })).toBe(1);
  });

  it('retries with exponential backoff while the push service is unavailable, and fails after 30 minutes', async () => {
    transport.resultOf = () => ({ outcome: 'unavailable' });
    service.clock.stop();
    const batch = await client.send([NUMBER]);
    const pauses: number[] = [];
    for (let message = await only(batch); message.status === 'pending'; message = await only(batch)) {
      await dispatch(batch);
      const now = service.clock.now().getTime();
      const next = (await only(batch)).nextDispatchAt?.getTime() ?? now;
      if ((await only(batch)).status === 'pending') pauses.push(Math.round((next - now) / 1_000));
      await dispatch(batch); // not due yet: nothing happens
      service.clock.advance(next - now + 10);
    }
    expect(pauses.slice(0, 7)).toEqual([5, 10, 20, 40, 80, 160, 300]);
    expect(transport.pushed.length).toBe(pauses.length + 1);
    expect(await only(batch)).toMatchObject({ status: 'failed', errorCode: 'PUSH_UNAVAILABLE' });
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBeGreaterThanOrEqual(30 * 60);
  });

  it('counts the 30 minutes from the first attempt, even if that was late', async () => {
    transport.resultOf = () => ({ outcome: 'unavailable' });
    const batch = await client.send([NUMBER]);
    service.clock.advance(2 * HOUR); // no worker was running
    await dispatch(batch);
    expect(await only(batch)).toMatchObject({ status: 'pending', dispatchAttempts: 1 });
    service.clock.advance(31 * MINUTE);
    await dispatch(batch);
    expect(await only(batch)).toMatchObject({ status: 'failed', errorCode: 'PUSH_UNAVAILABLE' });
  });

  it('dispatches a retried message once the push service is available', async () => {
    transport.resultOf = () => ({ outcome: 'unavailable' });
    const batch = await client.send([NUMBER]);
    await dispatch(batch);
    transport.resultOf = () => ({ outcome: 'accepted' });
    service.clock.advance(6_000);
    await dispatch(batch);
    expect(await only(batch)).toMatchObject({ status: 'dispatched', dispatchAttempts: 2 });
  });

  it.each(['doubt', 'death'])(
    'never pushes a message again that may have been accepted: %s',
    async (kind) => {
      transport.resultOf = () => {
        if (kind === 'death') throw new Error('the worker is gone');
        return { outcome: 'doubt' };
      };
      const batch = await client.send([NUMBER]);
      await dispatch(batch).catch(() => undefined);
      if (kind === 'death') {
        // Claimed without a result: no worker takes it until the claim has expired.
        await dispatch(batch);
        expect((await only(batch)).status).toBe('pending');
        service.clock.advance(61_000);
        await dispatch(batch);
      }
      expect(transport.pushed.length).toBe(1);
      expect(await only(batch)).toMatchObject({ status: 'dispatched', dispatchAttempts: 1 });
    },
  );

  it('does not undo a report that arrives before the push result', async () => {
    const batch = await client.send([NUMBER]);
    transport.resultOf = async (id) => {
      await client.report(device, id, 'SENT');
      await client.report(device, id, 'DELIVERED');
      return { outcome: 'accepted' };
    };
    await dispatch(batch);
    const message = await only(batch);
    expect(message).toMatchObject({ status: 'delivered', dispatchedAt: expect.any(Date) as Date });
    expect(message).not.toHaveProperty('redeliverUntil');
  });

  it.each([
    ['disabled', 'DEVICE_DISABLED'],
    ['deleted', 'DEVICE_DELETED'],
  ])('checks the device before the push: fails the message if it was %s', async (kind, code) => {
    const batch = await client.send([NUMBER]);
    if (kind === 'disabled') await client.patch(`/gateway/devices/${device}`, { enabled: false });
    else await client.delete(`/gateway/devices/${device}`);
    await dispatch(batch);
    expect(transport.pushed).toEqual([]);
    expect(await only(batch)).toMatchObject({
      status: 'failed',
      errorCode: code,
      outbox: [{ event: 'MESSAGE_FAILED' }],
    });
  });

  it('does not fail a message that another worker pushes, although the device was disabled meanwhile', async () => {
    const batch = await client.send([NUMBER]);
    const paused = pauseNextCall(service, DevicesRepository, 'find');
    const late = dispatch(batch);
    await paused.reached; // it has read the message as unclaimed
    transport.resultOf = async () => {
      await client.patch(`/gateway/devices/${device}`, { enabled: false });
      paused.release(false);
      await late;
      return { outcome: 'accepted' };
    };
    await dispatch(batch);
    const message = await only(batch);
    expect(message).toMatchObject({ status: 'dispatched', outbox: [], raised: [] });
    await client.report(device, message._id.toHexString(), 'SENT');
    expect((await only(batch)).status).toBe('sent');
  });

  it('marks a message as unconfirmed after 24 hours without a report, and still takes a later report', async () => {
    const batch = await client.send([NUMBER]);
    await dispatch(batch);
    const { _id } = await only(batch);
    service.clock.advance(24 * HOUR - MINUTE);
    await service.get(UnconfirmedMessagesService).markUnconfirmed();
    expect((await only(batch)).status).toBe('dispatched');
    service.clock.advance(2 * MINUTE);
    await Promise.all([1, 2].map(() => service.get(UnconfirmedMessagesService).markUnconfirmed()));
    expect(await only(batch)).toMatchObject({
      status: 'unknown',
      unconfirmedReason: 'NO_REPORT',
      outbox: [{ event: 'MESSAGE_UNCONFIRMED' }],
      raised: ['MESSAGE_UNCONFIRMED'],
    });
    expect(await only(batch)).toHaveProperty('redeliverUntil');
    await client.report(device, _id.toHexString(), 'SENT');
    expect(await only(batch)).toMatchObject({
      status: 'sent',
      raised: ['MESSAGE_UNCONFIRMED', 'MESSAGE_SENT'],
    });
  });

  it('ends the redelivery of unreported messages after 24 hours if the device is disabled', async () => {
    const batch = await client.send([NUMBER]);
    await dispatch(batch);
    await client.patch(`/gateway/devices/${device}`, { enabled: false });
    service.clock.advance(25 * HOUR);
    await service.get(UnconfirmedMessagesService).markUnconfirmed();
    expect(await only(batch)).toMatchObject({ status: 'unknown', unconfirmedReason: 'DEVICE_DISABLED' });
    await client.patch(`/gateway/devices/${device}`, { enabled: true });
    const pending = await client.get(`/gateway/devices/${device}/messages/pending`);
    expect((pending.body as { data: unknown[] }).data).toEqual([]);
  });

  it('expires the unacknowledged messages of a deleted device, also those being pushed', async () => {
    const [unread, read, late] = [
      await client.send([NUMBER]),
      await client.send([NUMBER]),
      await client.send([NUMBER]),
    ];
    for (const batch of [unread, read]) await dispatch(batch);
    await client.post(`/gateway/devices/${device}/messages/ack`, { smsIds: [(await only(read))._id] });
    transport.resultOf = async () => {
      await client.delete(`/gateway/devices/${device}`);
      await service.get(UnconfirmedMessagesService).markUnconfirmedOfDeletedDevices();
      return { outcome: 'accepted' };
    };
    await dispatch(late);
    expect(await only(unread)).toMatchObject({
      status: 'unknown',
      unconfirmedReason: 'DEVICE_DELETED',
      outbox: [{ event: 'MESSAGE_UNCONFIRMED' }],
    });
    expect([(await only(read)).status, (await only(late)).status]).toEqual(['dispatched', 'dispatched']);
    service.clock.advance(MINUTE + 1);
    await service.get(UnconfirmedMessagesService).markUnconfirmedOfDeletedDevices();
    expect((await only(late)).status).toBe('unknown');
    for (let minutes = 0; minutes < 4; minutes++) {
      service.clock.advance(MINUTE + 1);
      await service.get(UnconfirmedMessagesService).markUnconfirmedOfDeletedDevices();
    }
    expect(await service.collection('devices').countDocuments({ withdrawDueAt: { $exists: true } })).toBe(0);
    service.clock.advance(24 * HOUR);
    await service.get(UnconfirmedMessagesService).markUnconfirmed();
    expect(await only(read)).toMatchObject({ status: 'unknown', unconfirmedReason: 'DEVICE_DELETED' });
  });

  it('is done by the scheduler while Redis is down, once with several schedulers', async () => {
    const other = await TestService.start({
      environment: { APP_ROLES: 'scheduler' },
      shared: service,
      transport,
    });
    other.stopTimers();
    const away = [service, other].map((each) =>
      jest.spyOn(each.get(DispatchQueue), 'enqueue').mockResolvedValue(false),
    );
    await client.patch(`/gateway/devices/${device}`, { partsPerMinute: null });
    const batches = await Promise.all([1, 2, 3].map(() => client.send(numbers(5))));
    service.clock.advance(6_000);
    await Promise.all([service, other].map((each) => each.get(DispatchScheduler).dispatchOverdue()));
    expect(transport.pushed.length).toBe(15);
    expect(new Set(transport.pushed).size).toBe(15);
    for (const batch of batches) expect((await only(batch)).status).toBe('dispatched');
    for (const spy of away) spy.mockRestore();
    await other.stop();
  });

  it('is done by the scheduler while Redis refuses jobs', async () => {
    const queue = service.app.get<Queue>(getQueueToken(DISPATCH_QUEUE), { strict: false });
    const counter = queue.toKey('id');
    const count = (await queue.client.get(counter)) ?? '0';
    // Bull's script fails at its first write, as without memory.
    await queue.client.set(counter, 'not a number');
    try {
      const batch = await client.send([NUMBER]);
      service.clock.advance(6_000);
      await service.get(DispatchScheduler).dispatchOverdue();
      expect((await only(batch)).status).toBe('dispatched');
    } finally {
      await queue.client.set(counter, count);
    }
  });

  it('enqueues an overdue wave once, and is done by the scheduler if its job does not run', async () => {
    const queue = service.app.get<Queue>(getQueueToken(DISPATCH_QUEUE), { strict: false });
    const batch = await client.send([NUMBER]);
    service.clock.advance(6_000);
    await service.get(DispatchScheduler).dispatchOverdue();
    expect((await only(batch)).status).toBe('pending');
    const { waiting } = await queue.getJobCounts();
    await service.get(DispatchScheduler).dispatchOverdue();
    expect((await only(batch)).status).toBe('dispatched');
    for (let sweeps = 0; sweeps < 5; sweeps++) await service.get(DispatchScheduler).dispatchOverdue();
    expect((await queue.getJobCounts()).waiting).toBe(waiting);
    expect(transport.pushed.length).toBe(1);
  });

  describe('of large sends', () => {
    const dueTimes = async (batch: string) =>
      (await stored(batch)).map(({ dispatchDueAt }) => dispatchDueAt?.getTime() ?? 0);

    it('releases waves of five seconds at the pace of the phone, and each enqueues the next', async () => {
      service.clock.stop();
      await client.post(`/gateway/devices/${device}/heartbeat`, { smsSendDelaySeconds: 2 });
      const answer = await client.post('/gateway/send-sms', { message: 'Hello', recipients: numbers(120) });
      const { smsBatchId, estimatedCompletionAt } = (
        answer.body as { data: { smsBatchId: string; estimatedCompletionAt: string } }
      ).data;
      const due = await dueTimes(smsBatchId);
      const first = due[0] ?? 0;
      // 24 parts a minute are two messages in five seconds.
      expect(due.map((time) => (time - first) / 1_000)).toEqual(
        Array.from({ length: 120 }, (_, index) => Math.floor(index / 2) * 5),
      );
      expect(new Date(estimatedCompletionAt).getTime()).toBe(first + 300_000);
      for (const wave of [0, 1, 2]) await dispatch(smsBatchId, wave);
      expect(transport.pushed.length).toBe(2);
      const queue = service.app.get<Queue>(getQueueToken(DISPATCH_QUEUE), { strict: false });
      expect(await queue.getJob(`${smsBatchId}-1-${first + 5_000}`)).not.toBeNull();
      for (let wave = 1; wave < 60; wave++) {
        service.clock.advance(5_000);
        await dispatch(smsBatchId, wave);
      }
      expect(new Set(transport.pushed).size).toBe(120);
      expect(transport.pushed.length).toBe(120);
    });

    it('paces by parts, and not at all if the phone has no limit', async () => {
      const path = `/gateway/devices/${device}`;
      await client.post(`${path}/heartbeat`, { smsSendDelaySeconds: 1 });
      const offsets = async (message: string) => {
        const due = await dueTimes(await client.send(numbers(60), { message }));
        return due.map((time) => (time - (due[0] ?? 0)) / 1_000);
      };
      expect((await offsets('a'.repeat(480))).slice(0, 3)).toEqual([0, 10, 20]); // four parts
      await client.patch(path, { partsPerMinute: 120 });
      expect((await offsets('a'.repeat(480))).slice(0, 4)).toEqual([0, 0, 4, 4]);
      await client.patch(path, { partsPerMinute: null });
      expect((await offsets('a'.repeat(480))).slice(0, 6)).toEqual([0, 0, 0, 0, 0, 5]);
      expect((await client.patch(path, { partsPerMinute: 1_001 })).status).toBe(400);
    });

    it('skips waves that are cancelled', async () => {
      const batch = await client.send(numbers(60));
      const [first, second] = await stored(batch);
      await client.post(`/gateway/messages/${String(second?._id)}/cancel`, {});
      await dispatch(batch, 0);
      const queue = service.app.get<Queue>(getQueueToken(DISPATCH_QUEUE), { strict: false });
      const third = (first?.dispatchDueAt?.getTime() ?? 0) + 10_000;
      expect(await queue.getJob(`${batch}-2-${third}`)).not.toBeNull();
    });

    it('does not overlap two campaigns of a phone; a scheduled one delays neither, and a single message is not delayed', async () => {
      const inAMonth = new Date(service.clock.now().getTime() + 29 * 24 * HOUR).toISOString();
      const later = await client.send(numbers(1_000), { scheduledAt: inAMonth });
      const now = service.clock.now().getTime();
      const [first, second] = await Promise.all([client.send(numbers(1_000)), client.send(numbers(1_000))]);
      const single = await client.send([NUMBER]);
      const [firstDue, secondDue] = [await dueTimes(first), await dueTimes(second)];
      const [early, late] =
        (firstDue[0] ?? 0) < (secondDue[0] ?? 0) ? [firstDue, secondDue] : [secondDue, firstDue];
      expect(Math.abs((early[0] ?? 0) - now)).toBeLessThan(10_000);
      // The second campaign starts after the last message of the first.
      expect((late[0] ?? 0) - (early.at(-1) ?? 0)).toBe(5_000);
      expect(new Set(await dueTimes(later))).toEqual(new Set([new Date(inAMonth).getTime()]));
      await dispatch(single);
      expect((await only(single)).status).toBe('dispatched');
      expect(await only(single)).not.toHaveProperty('dispatchDueAt');
    });

    it('reserves time for a scheduled campaign once when it becomes due, even if it is planned several times', async () => {
      const scheduledAt = new Date(service.clock.now().getTime() + HOUR);
      const batch = await client.send(numbers(150), { scheduledAt: scheduledAt.toISOString() });
      await dispatch(batch);
      expect(new Set(await dueTimes(batch))).toEqual(new Set([scheduledAt.getTime()]));
      service.clock.advance(HOUR - 10_000);
      const running = await client.send(numbers(100)); // busy for 500 s from now
      service.clock.advance(20_000);
      await Promise.all([0, 1, 2, 0, 1, 2].map((wave) => dispatch(batch, wave)));
      const freeAt = (await dueTimes(running)).at(-1) ?? 0;
      const due = await dueTimes(batch);
      const start = due[0] ?? 0;
      expect(start).toBeGreaterThanOrEqual(freeAt + 5_000);
      expect(due.map((time) => (time - start) / 1_000)).toEqual(
        Array.from({ length: 150 }, (_, index) => index * 5),
      );
      expect(transport.pushed).toEqual([]);
      service.clock.advance(start - service.clock.now().getTime() + 10);
      await dispatch(batch, 0);
      expect(transport.pushed.length).toBe(1);
    });

    /** A scheduled campaign that has just become due, and the number of its messages. */
    async function dueCampaign(): Promise<{ batch: string; count: number }> {
      const scheduledAt = new Date(service.clock.now().getTime() + HOUR);
      const batch = await client.send(numbers(150), { scheduledAt: scheduledAt.toISOString() });
      service.clock.advance(HOUR + 1_000);
      return { batch, count: 150 };
    }
    const freeAt = async () => {
      const found = await service.collection('devices').findOne({ _id: new Types.ObjectId(device) });
      return (found?.dispatchFreeAt as Date | undefined)?.getTime();
    };

    it('reserves time once, even if several workers plan a campaign at the same time', async () => {
      const { batch, count } = await dueCampaign();
      const paused = pauseNextCall(service, BatchesRepository, 'storeStart');
      const first = dispatch(batch, 0);
      await paused.reached; // it has reserved the time and not stored it
      await dispatch(batch, 1);
      paused.release(false);
      await first;
      const start = (await dueTimes(batch))[0] ?? 0;
      expect(await freeAt()).toBe(start + count * 5_000);
      service.clock.advance(MINUTE);
      await dispatch(batch, 0);
      expect(transport.pushed.length).toBe(1);
    });

    it('plans a campaign whose planning process died', async () => {
      const { batch } = await dueCampaign();
      const killed = jest
        .spyOn(service.get(BatchesRepository), 'storeStart')
        .mockRejectedValueOnce(new Error('kill -9'));
      await expect(dispatch(batch, 0)).rejects.toThrow('kill -9');
      await dispatch(batch, 0);
      expect(killed).toHaveBeenCalledTimes(1);
      service.clock.advance(MINUTE);
      await dispatch(batch, 0);
      expect(new Set(await dueTimes(batch)).size).toBe(150);
      killed.mockRestore();
    });

    it.each([
      ['that was interrupted', {}, 5_000],
      [
        'of a send that was rescheduled, whose messages have no offset',
        { 'groups.0.gapMs': 250_000 },
        250_000,
      ],
    ])('completes planning %s', async (_case, stored, gapMs) => {
      const scheduledAt = new Date(service.clock.now().getTime() + HOUR);
      const batch = await client.send(numbers(100), { scheduledAt: scheduledAt.toISOString() });
      const startAt = new Date(scheduledAt.getTime() + 5 * MINUTE);
      // The time was reserved and stored, but the messages were not scheduled.
      const smsBatch = new Types.ObjectId(batch);
      await service
        .collection('batches')
        .updateOne({ _id: smsBatch }, { $set: { 'groups.0.startAt': startAt, ...stored } });
      if (gapMs !== 5_000)
        await service.collection('messages').updateMany({ smsBatch }, { $unset: { waveOffsetMs: 1 } });
      service.clock.advance(HOUR + 1_000);
      await dispatch(batch, 1);
      expect(await dueTimes(batch)).toEqual(
        Array.from({ length: 100 }, (_, index) => startAt.getTime() + index * gapMs),
      );
    });

    it('dispatches a small scheduled send as one wave at its time', async () => {
      const scheduledAt = new Date(service.clock.now().getTime() + HOUR).toISOString();
      const batch = await client.send(numbers(3), { scheduledAt });
      await dispatch(batch);
      expect(transport.pushed).toEqual([]);
      expect((await client.batch(device, batch)).messages.map(({ dispatchDueAt }) => dispatchDueAt)).toEqual([
        scheduledAt,
        scheduledAt,
        scheduledAt,
      ]);
      service.clock.advance(HOUR + 1);
      await dispatch(batch);
      expect(transport.pushed.length).toBe(3);
    });

    it('dispatches the entries of a bulk send at their own times', async () => {
      const scheduledAt = new Date(service.clock.now().getTime() + HOUR).toISOString();
      const answer = await client.post('/gateway/send-bulk-sms', {
        messages: [
          { message: 'Now', recipients: ['111'] },
          { message: 'Later', recipients: ['222'], scheduledAt },
          { smsBody: 'Now too', receivers: ['333'] },
        ],
      });
      const batch = (answer.body as { data: { smsBatchId: string } }).data.smsBatchId;
      await Promise.all([dispatch(batch, 0), dispatch(batch, 1)]);
      const { messages } = await client.batch(device, batch);
      expect(messages.map(({ recipient, message, status }) => [recipient, message, status])).toEqual([
        ['111', 'Now', 'dispatched'],
        ['333', 'Now too', 'dispatched'],
        ['222', 'Later', 'pending'],
      ]);
    });
  });

  it('is enqueued by the scheduler for messages without a job, and only for those', async () => {
    // The worker would first dispatch what the tests before have left.
    await service.collection('messages').deleteMany({ status: 'pending' });
    await service.app.get<Queue>(getQueueToken(DISPATCH_QUEUE), { strict: false }).empty();
    const worker = await TestService.start({
      environment: { APP_ROLES: 'worker' },
      shared: service,
      transport,
    });
    const batch = await client.send([NUMBER]);
    await eventually(
      () => only(batch),
      ({ status }) => status === 'dispatched',
    );
    // As after a data loss in Redis: the message is due and has no job.
    await service
      .collection('messages')
      .updateOne(
        { smsBatch: new Types.ObjectId(batch) },
        { $set: { status: 'pending' }, $unset: { dispatchedAt: 1, redeliverUntil: 1 } },
      );
    service.clock.advance(6_000);
    await service.get(DispatchScheduler).dispatchOverdue();
    await eventually(
      () => only(batch),
      ({ status }) => status === 'dispatched',
    );
    await worker.stop();
  });
});
