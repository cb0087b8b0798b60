import { Types } from 'mongoose';
import { UsageRecountRepository } from '../../src/billing/usage/usage-recount.repository';
import { Removals } from '../../src/common/upkeep/removals.service';
import { RemovalsRepository } from '../../src/common/upkeep/removals.repository';
import { Recounts } from '../../src/common/upkeep/recounts.service';
import { DeviceTotalsRepository } from '../../src/devices/device-totals.repository';
import { UnconfirmedMessagesService } from '../../src/gateway/dispatch/unconfirmed-messages.service';
import { DispatchService } from '../../src/gateway/dispatch/dispatch.service';
import { DeviceTotalsRecount } from '../../src/gateway/recounts/device-totals.recount';
import { UsageRecount } from '../../src/gateway/recounts/usage.recount';
import { RetentionScheduler } from '../../src/gateway/retention/retention.scheduler';
import { RetentionService } from '../../src/gateway/retention/retention.service';
import { MessageRemovalRepository } from '../../src/messages/message-removal.repository';
import { TestClient } from '../support/client';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

describe('message retention', () => {
  const transport = new ScriptedTransport();
  let service: TestService;
  let other: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    const environment = { APP_ROLES: 'api,scheduler', RETENTION_MESSAGES_DAYS: '2' };
    service = await TestService.start({ environment, transport });
    other = await TestService.start({ environment, transport, shared: service });
    for (const each of [service, other]) each.stopTimers();
  });
  beforeEach(async () => {
    for (const each of [service, other]) jest.spyOn(each.get(Recounts), 'settle').mockResolvedValue();
    // Noon of the tenth of a month, so that messages removed some days later were charged to the current month.
    const now = service.clock.now();
    service.clock.advance(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10, 12) - now.getTime());
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const messages = () => service.collection('messages');
  const sweep = (at = service) => at.get(RetentionScheduler).sweep();
  const nextRound = async () => {
    service.clock.advance(HOUR);
    await sweep();
  };
  const removeOld = async (at: TestService) => {
    let after: Types.ObjectId | undefined;
    do after = await at.get(Removals).removeOldAfter(at.get(RetentionService), after);
    while (after);
  };
  const left = () => messages().countDocuments({ user: client.user });

  const relay = (message?: string) =>
    messages().updateMany(
      { user: client.user, ...(message !== undefined && { message }) },
      { $set: { outbox: [] }, $unset: { relayDueAt: 1 } },
    );

  async function sendReported(statuses: string[], fields: object = {}): Promise<string> {
    const batch = await client.send(numbers(statuses.length), fields);
    const reported = (await client.batch(device, batch)).messages;
    for (const [index, { _id }] of reported.entries()) {
      if (statuses[index]) await client.report(device, _id, statuses[index], { errorCode: '4' });
      await messages().updateOne(
        { _id: new Types.ObjectId(_id) },
        { $set: { outbox: [] }, $unset: { relayDueAt: 1 } },
      );
    }
    return batch;
  }

  async function receive(message: string, fields: object = {}): Promise<void> {
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+49', message, ...fields });
    await relay(message);
  }

  const inDays = (days: number) => new Date(service.clock.now().getTime() + days * DAY).toISOString();
  const figures = async () => ({
    stats: (await client.get('/gateway/stats')).body as unknown,
    device: (await client.get(`/gateway/devices/${device}`)).body as unknown,
    plan: (await client.get('/billing/current-subscription')).body as unknown,
  });

  /** The counters that a reconciliation would correct. */
  async function drifts(): Promise<unknown[]> {
    const found = [
      await service.get(DeviceTotalsRecount).look(new Types.ObjectId(device)),
      await service.get(UsageRecount).look(client.user),
    ];
    return found.flatMap((each) => (each === 'right' ? [] : [each]));
  }

  it('keeps messages forever by default', async () => {
    const keeping = await TestService.start({
      environment: { APP_ROLES: 'api,scheduler' },
      transport,
      shared: service,
    });
    await sendReported(['DELIVERED']);
    service.clock.advance(4_000 * DAY);
    await sweep(keeping);
    expect(await left()).toBe(1);
    await keeping.stop();
  });

  it('removes only old messages that are settled and relayed', async () => {
    const textsLeft = async () =>
      (await messages().find({ user: client.user }).toArray()).map(({ message }) => String(message)).sort();
    const send = (message: string, status: string, fields: object = {}) =>
      sendReported([status], { message, ...fields });
    await send('old: sent', 'SENT');
    await send('old: delivered', 'DELIVERED');
    await send('old: failed', 'FAILED');
    await send('old: unknown', 'odd');
    await receive('old: received');
    await receive('old: received long before', { receivedAtInMillis: 5 });
    await send('kept: pending', '', { scheduledAt: inDays(20) });
    const dispatched = await send('kept: dispatched', '');
    await service.get(DispatchService).dispatchWave({ batch: new Types.ObjectId(dispatched), wave: 0 });
    await send('kept: waits for webhooks', 'DELIVERED');
    await messages().updateOne(
      { user: client.user, message: 'kept: waits for webhooks' },
      { $set: { outbox: [{ event: 'MESSAGE_DELIVERED', at: service.clock.now() }] } },
    );
    await send('kept: on offer', 'odd');
    await messages().updateOne(
      { user: client.user, message: 'kept: on offer' },
      { $set: { offerUntil: new Date(inDays(3)) } },
    );
    const late = await client.send(numbers(1), { message: 'kept: ends late' });
    service.clock.advance(1.5 * DAY);
    const [message] = (await client.batch(device, late)).messages;
    await client.report(device, message?._id ?? '', 'SENT');
    await relay('kept: ends late');
    await send('kept: young', 'SENT');
    await receive('kept: uploaded now', { receivedAtInMillis: 5 });
    service.clock.advance(0.5 * DAY + 1_000);
    const before = await figures();
    await nextRound();
    expect((await textsLeft()).filter((text) => !text.startsWith('kept'))).toEqual([]);
    expect((await textsLeft()).length).toBe(7);
    expect(await figures()).toEqual(before);
    expect(await drifts()).toEqual([]);
    // The kept messages are removed once they are settled and relayed.
    await service.get(UnconfirmedMessagesService).expireUnreported();
    await relay();
    service.clock.advance(2 * DAY);
    await nextRound();
    expect(await textsLeft()).toEqual(['kept: pending']);
    expect(await drifts()).toEqual([]);
  });

  it('removes a batch with its last message, frees its key, and keeps its progress until then', async () => {
    const send = { message: 'Hello', recipients: numbers(2) };
    const first = await client.post('/gateway/send-sms', send).set('Idempotency-Key', 'k');
    await messages().updateMany(
      { user: client.user },
      { $set: { status: 'failed', settledAt: service.clock.now() } },
    );
    const entry = (count: number, scheduledAt?: string) => ({
      message: 'x',
      recipients: numbers(count),
      scheduledAt,
    });
    const answer = await client.post('/gateway/send-bulk-sms', {
      messages: [entry(4), entry(2, inDays(5))],
    });
    const batch = (answer.body as { data: { smsBatchId: string } }).data.smsBatchId;
    const ids = (await client.batch(device, batch)).messages.map(({ _id }) => _id);
    for (const [index, status] of ['SENT', 'FAILED', 'DELIVERED', 'FAILED'].entries()) {
      const errorCode = status === 'FAILED' ? String(index) : undefined;
      await client.report(device, ids[index] ?? '', status, { errorCode });
    }
    await relay();
    const before = await client.batch(device, batch);
    expect(before.batch).toMatchObject({ status: 'processing', successCount: 2, failureCount: 2 });
    service.clock.advance(3 * DAY);
    await nextRound();
    const half = await client.batch(device, batch);
    expect(half.batch).toEqual(before.batch);
    expect(half.messages.map(({ _id }) => _id)).toEqual(ids.slice(4));
    for (const id of ids.slice(0, 4)) {
      expect((await client.get(`/gateway/devices/${device}/sms/${id}`)).status).toBe(404);
      expect((await client.report(device, id, 'DELIVERED')).status).toBe(404);
    }
    // The remaining messages are reported.
    for (const id of ids.slice(4)) await client.report(device, id, 'SENT');
    await relay();
    expect((await client.batch(device, batch)).batch).toMatchObject({
      status: 'partial_success',
      successCount: 4,
      failureCount: 2,
      error: before.batch.error,
    });
    service.clock.advance(1.5 * DAY);
    await nextRound();
    expect((await client.get(`/gateway/devices/${device}/sms-batch/${batch}`)).status).toBe(404);
    expect(await service.collection('batches').countDocuments({ user: client.user })).toBe(0);
    expect(await drifts()).toEqual([]);

    const again = await client.post('/gateway/send-sms', send).set('Idempotency-Key', 'k');
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect(again.text).not.toBe(first.text);
  });

  it('does not change plan usage of this month or the next', async () => {
    await sendReported(['SENT', 'SENT', 'FAILED']);
    const cancelled = await client.send(numbers(6));
    await client.post(`/gateway/devices/${device}/sms-batch/${cancelled}/cancel`);
    await relay();
    await receive('one');
    service.clock.advance(3 * DAY);
    await sendReported(['SENT']);
    const before = await figures();
    await nextRound();
    expect(await left()).toBe(1);
    expect(await figures()).toEqual(before);
    expect(await drifts()).toEqual([]);
    await service.collection('usages').updateOne({ _id: client.user }, { $inc: { monthCount: 5 } });
    await service.get(Recounts).mend(service.get(UsageRecount), [client.user]);
    expect(await figures()).toEqual(before);

    service.clock.advance(30 * DAY);
    await sendReported(['SENT', 'SENT']);
    await nextRound();
    expect(await drifts()).toEqual([]);
    const found = await service.collection('usages').findOne({ _id: client.user });
    expect(found).toMatchObject({ dayCount: 2, monthCount: 2 });
    service.clock.advance(3 * DAY);
    await nextRound();
    expect(await left()).toBe(0);
    expect(await drifts()).toEqual([]);
  });

  it('removes messages in chunks, through an index', async () => {
    const batch = await client.send(numbers(2_300));
    const now = service.clock.now();
    const settled = { status: 'delivered', settledAt: now, countedAt: now };
    await messages().updateMany({ smsBatch: new Types.ObjectId(batch) }, { $set: settled });
    await service
      .collection('devices')
      .updateOne({ _id: new Types.ObjectId(device) }, { $set: { sentSMSCount: 2_300 } });
    const before = { figures: await figures(), batch: (await client.batch(device, batch)).batch };
    service.clock.advance(3 * DAY);
    const repository = service.get(MessageRemovalRepository);
    const remove = repository.remove.bind(repository);
    const chunks: number[] = [];
    const shown: unknown[] = [];
    jest.spyOn(repository, 'remove').mockImplementation(async (...args) => {
      if (!args[0].user.equals(client.user)) return remove(...args);
      const show = async () => {
        if (chunks.length < 3) shown.push((await client.batch(device, batch)).batch);
      };
      chunks.push(args[1].length);
      await show(); // counted as removed, but still stored
      await remove(...args);
      await show();
    });
    await nextRound();
    expect(chunks).toEqual([1_000, 1_000, 300]);
    expect(shown).toEqual(Array.from({ length: 4 }, () => before.batch));
    expect(await left()).toBe(0);
    const { plan, ...rest } = await figures();
    expect(rest).toMatchObject({ stats: before.figures.stats, device: before.figures.device });
    expect(plan).toMatchObject({ usage: { processedSmsLastMonth: 2_300 } });
    expect(await drifts()).toEqual([]);
  });

  describe('when a process dies during a removal', () => {
    const steps: [target: (of: TestService) => object, method: string][] = [
      [(of) => of.get(RemovalsRepository), 'begin'],
      [(of) => of.get(MessageRemovalRepository), 'mark'],
      [(of) => of.get(RemovalsRepository), 'decide'],
      [(of) => of.get(DeviceTotalsRepository), 'setRemoved'],
      [(of) => of.get(UsageRecountRepository), 'setRemoved'],
      [(of) => of.get(MessageRemovalRepository), 'setProgress'],
      [(of) => of.get(MessageRemovalRepository), 'removeBatches'],
      [(of) => of.get(MessageRemovalRepository), 'remove'],
      [(of) => of.get(RemovalsRepository), 'finish'],
    ];
    const moments = steps.flatMap(([, method], index) => [
      [`before ${method}`, index, 'before'] as const,
      [`after ${method}`, index, 'after'] as const,
    ]);

    /** Creates messages of every kind and a half-settled batch: 3 sent, 2 received, 8 charged. */
    async function fill(): Promise<string> {
      await sendReported(['SENT', 'DELIVERED', 'odd']);
      await receive('one');
      await receive('two');
      const answer = await client.post('/gateway/send-bulk-sms', {
        messages: [
          { message: 'x', recipients: numbers(2) },
          { message: 'y', recipients: numbers(1), scheduledAt: inDays(20) },
        ],
      });
      const batch = (answer.body as { data: { smsBatchId: string } }).data.smsBatchId;
      const [sent, failed] = (await client.batch(device, batch)).messages;
      await client.report(device, sent?._id ?? '', 'SENT');
      await client.report(device, failed?._id ?? '', 'FAILED', { errorCode: '4' });
      await relay();
      service.clock.advance(3 * DAY);
      return batch;
    }

    /** Runs an action once, before or after a step. */
    function at(
      of: TestService,
      index: number,
      when: 'before' | 'after',
      happens: () => Promise<void>,
    ): void {
      const [target, method] = steps[index] ?? [];
      const object = target?.(of) as Record<string, (...args: unknown[]) => Promise<unknown>>;
      const original = object[method ?? '']?.bind(object);
      let happened = false;
      jest.spyOn(object, method ?? '').mockImplementation(async (...args: unknown[]) => {
        const first = !happened;
        happened = true;
        if (first && when === 'before') await happens();
        const result = await original?.(...args);
        if (first && when === 'after') await happens();
        return result;
      });
    }

    it.each(moments)('recovers the right totals if it dies %s', async (_, index, when) => {
      const batch = await fill();
      const before = { figures: await figures(), batch: (await client.batch(device, batch)).batch };
      const dies = () => Promise.reject(new Error('kill -9'));
      at(service, index, when, dies);
      await nextRound();
      const recount = async () => {
        const recounts = other.get(Recounts);
        await recounts.mend(other.get(DeviceTotalsRecount), [new Types.ObjectId(device)]);
        await recounts.mend(other.get(UsageRecount), [client.user]);
      };
      await recount(); // while the removal is incomplete
      expect(await figures()).toEqual(before.figures);
      service.clock.advance(61_000);
      await sweep(other);
      service.clock.advance(HOUR);
      await sweep(other);
      expect(await left()).toBe(1);
      expect(await service.collection('batches').countDocuments({ user: client.user })).toBe(1);
      expect(await service.collection('removals').countDocuments()).toBe(0);
      expect(await figures()).toEqual(before.figures);
      expect((await client.batch(device, batch)).batch).toEqual(before.batch);
      expect(await drifts()).toEqual([]);
    });

    it.each(moments)('does nothing twice if it pauses %s', async (_, index, when) => {
      const batch = await fill();
      const before = { figures: await figures(), batch: (await client.batch(device, batch)).batch };
      at(service, index, when, async () => {
        service.clock.advance(61_000);
        // Another process takes over and continues with newer messages before this one resumes.
        await sweep(other);
        await sendReported(['SENT', 'SENT']);
        service.clock.advance(3 * DAY);
        await removeOld(other);
      });
      await nextRound();
      service.clock.advance(HOUR);
      await sweep(other);
      expect(await left()).toBe(1);
      expect(await service.collection('removals').countDocuments()).toBe(0);
      expect(await drifts()).toEqual([]);
      expect((await client.batch(device, batch)).batch).toEqual(before.batch);
      const stats = await client.get('/gateway/stats');
      expect(stats.body).toMatchObject({ data: { totalSentSMSCount: 5, totalReceivedSMSCount: 2 } });
    });

    it('keeps the totals right with concurrent removals and reports', async () => {
      const batch = await fill();
      const unknown = await messages().findOne({ user: client.user, status: 'unknown' });
      const [answer] = await Promise.all([
        client.report(device, String(unknown?._id), 'SENT'),
        ...[service, other, service, other].map(removeOld),
      ]);
      // A report in time counts, and its message is kept until its event is relayed.
      const inTime = answer.status === 200;
      expect(await left()).toBe(inTime ? 2 : 1);
      expect(await drifts()).toEqual([]);
      await relay();
      service.clock.advance(2 * DAY);
      await nextRound();
      expect(await left()).toBe(1);
      expect(await drifts()).toEqual([]);
      expect((await client.batch(device, batch)).batch).toMatchObject({
        successCount: 1,
        failureCount: 1,
      });
    });

    it('rejects reports on marked messages, and loses no count or event', async () => {
      await fill();
      const unknown = await messages().findOne({ user: client.user, status: 'unknown' });
      const answers: number[] = [];
      const report = async () => {
        answers.push((await client.report(device, String(unknown?._id), 'SENT')).status);
      };
      at(service, 1, 'after', report);
      at(service, 2, 'after', report);
      await nextRound();
      expect(answers).toEqual([404, 404]);
      expect(await left()).toBe(1);
      expect(await drifts()).toEqual([]);
      // A report between selection and marking is accepted, and its message stays until the event is relayed.
      await fill();
      const late = await messages().findOne({ user: client.user, status: 'unknown' });
      jest.restoreAllMocks();
      at(service, 1, 'before', async () => {
        answers.push((await client.report(device, String(late?._id), 'SENT')).status);
      });
      await nextRound();
      expect(answers).toEqual([404, 404, 200]);
      expect(await left()).toBe(3);
      expect(await drifts()).toEqual([]);
    });

    it('completes an interrupted removal after retention is turned off', async () => {
      await fill();
      at(service, 7, 'before', () => Promise.reject(new Error('kill -9')));
      await nextRound();
      const keeping = await TestService.start({
        environment: { APP_ROLES: 'scheduler' },
        transport,
        shared: service,
      });
      service.clock.advance(61_000);
      await sweep(keeping);
      await keeping.stop();
      expect(await left()).toBe(1);
      expect(await drifts()).toEqual([]);
    });
  });
});
