import { Types } from 'mongoose';
import { BillingService } from '../../src/billing/billing.service';
import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import { BatchRecoveryScheduler } from '../../src/gateway/batch-recovery.scheduler';
import { BatchCancellationsRepository } from '../../src/gateway/cancellation/batch-cancellations.repository';
import { CancellationRepository } from '../../src/gateway/cancellation/cancellation.repository';
import { VirtualPhone } from 'messaging-gateway-phone';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

interface CancelJson {
  success: boolean;
  cancelledCount: number;
  requestedCount: number;
}

describe('cancellation', () => {
  let service: TestService;
  let other: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  // Two processes of one installation. No worker runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    other = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    client = await service.newAccount();
    device = await client.newDevice({ supportsCancel: true });
  });
  afterEach(() => {
    service.clock.resume();
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const dataOf = (answer: { body: unknown }) => (answer.body as { data: CancelJson }).data;
  const cancelBatch = (batch: string, of = client) =>
    of.post(`/gateway/devices/${device}/sms-batch/${batch}/cancel`);
  const cancelMessage = (id: string, of = client) => of.post(`/gateway/messages/${id}/cancel`);
  const confirm = (smsIds: string[], of = client) =>
    of.post(`/gateway/devices/${device}/messages/cancelled`, { smsIds });
  const dispatch = (batch: string, wave = 0) => dispatchWave(service, batch, wave);
  const idsOf = async (batch: string) => (await client.batch(device, batch)).messages.map(({ _id }) => _id);
  const stored = (id: string) => service.collection('messages').findOne({ _id: new Types.ObjectId(id) });
  const usage = async () => {
    const found = await service.collection('usages').findOne({ _id: client.user });
    return [Number(found?.dayCount), Number(found?.monthCount)];
  };
  const batchRecord = (batch: string) =>
    service.collection('batches').findOne({ _id: new Types.ObjectId(batch) });

  /** Sends and dispatches a batch; the phone has acknowledged none of it. */
  async function sendAndDispatch(count: number): Promise<{ batch: string; ids: string[] }> {
    const batch = await client.send(numbers(count), { deviceId: device });
    await dispatch(batch);
    return { batch, ids: await idsOf(batch) };
  }

  it('cancels a message that waits for a retry', async () => {
    transport.resultOf = () => ({ outcome: 'unavailable' });
    const { batch, ids } = await sendAndDispatch(2);
    expect(await stored(ids[0] ?? '')).toMatchObject({ status: 'pending', dispatchAttempts: 1 });
    expect(dataOf(await cancelBatch(batch))).toMatchObject({ cancelledCount: 2, requestedCount: 0 });
    expect(await usage()).toEqual([0, 0]);
    service.clock.advance(60_000);
    transport.pushed.length = 0;
    await dispatch(batch);
    expect(transport.pushed).toEqual([]);
  });

  it('does not cancel a message that a worker is pushing', async () => {
    let answer: CancelJson | undefined;
    transport.resultOf = async (id) => {
      answer = dataOf(await cancelMessage(id));
      return { outcome: 'accepted' };
    };
    const { ids } = await sendAndDispatch(1);
    expect(answer?.cancelledCount).toBe(0);
    expect((await stored(ids[0] ?? ''))?.status).toBe('dispatched');
  });

  it('cancels single messages, then the rest, and refunds each once, even if requested several times', async () => {
    // Of the same day in UTC, which it is charged to, and still in the future when the request is read. No worker runs.
    service.clock.stop();
    const scheduledAt = new Date(service.clock.now().getTime() + 500).toISOString();
    const batch = await client.send(numbers(5), { scheduledAt });
    const [first = '', second = ''] = await idsOf(batch);
    await Promise.all(
      [first, first, second].flatMap((id) => [cancelMessage(id), cancelMessage(id, client.at(other.url))]),
    );
    expect(await usage()).toEqual([3, 3]);
    expect(dataOf(await cancelMessage(first))).toEqual({
      success: true,
      cancelledCount: 1,
      requestedCount: 0,
    });
    const answers = await Promise.all([cancelBatch(batch), cancelBatch(batch, client.at(other.url))]);
    expect(answers.map((answer) => dataOf(answer).cancelledCount)).toEqual([5, 5]);
    expect(await usage()).toEqual([0, 0]);
    expect(await batchRecord(batch)).toMatchObject({ cancelledCount: 5 });
    expect(await batchRecord(batch)).not.toHaveProperty('cancellingSince');
    expect(await stored(first)).toMatchObject({ raised: ['MESSAGE_FAILED'], errorCode: 'CANCELLED' });
  });

  it('cancels a large batch in parts; when it dies between them, what was cancelled is refunded, and the rest by the next', async () => {
    const batch = await client.send(numbers(1_100), { deviceId: device });
    const cancellations = service.get(CancellationRepository);
    const cancelUnclaimed = cancellations.cancelUnclaimed.bind(cancellations);
    let writes = 0;
    jest.spyOn(cancellations, 'cancelUnclaimed').mockImplementation((...args) => {
      if (++writes === 2) return Promise.reject(new Error('killed'));
      return cancelUnclaimed(...args);
    });
    expect((await cancelBatch(batch)).status).toBe(500);
    const statusCount = () =>
      service
        .collection('messages')
        .countDocuments({ smsBatch: new Types.ObjectId(batch), status: 'failed' });
    expect(await statusCount()).toBe(500);
    service.clock.advance(16_000);
    await service.get(BatchRecoveryScheduler).sweep();
    expect(await usage()).toEqual([600, 600]);
    expect(dataOf(await cancelBatch(batch))).toMatchObject({ cancelledCount: 1_100 });
    expect(writes).toBe(4);
    expect(await usage()).toEqual([0, 0]);
    expect(await batchRecord(batch)).toMatchObject({ cancelledCount: 1_100 });
  });

  it('finds only outgoing messages of the account', async () => {
    const { ids } = await sendAndDispatch(1);
    const stranger = await service.newAccount();
    expect((await cancelMessage(ids[0] ?? '', stranger)).status).toBe(404);
    expect((await cancelMessage('nope')).status).toBe(400);
  });

  it.each([
    ['the write', () => jest.spyOn(service.get(CancellationRepository), 'summarize')],
    ['the refund', () => jest.spyOn(service.get(BillingService), 'refund')],
    ['the end', () => jest.spyOn(service.get(BatchCancellationsRepository), 'finish')],
  ] as const)('that was interrupted at %s is completed by the scheduler, once', async (_, spyOn) => {
    const batch = await client.send(numbers(4), { deviceId: device });
    const [first = ''] = await idsOf(batch);
    (spyOn() as jest.SpyInstance).mockRejectedValueOnce(new Error('kill -9'));
    expect((await cancelMessage(first)).status).toBe(500);
    expect(dataOf(await cancelBatch(batch)).cancelledCount).toBe(4);
    service.clock.advance(16_000);
    await Promise.all([1, 2, 3].map(() => service.get(BatchRecoveryScheduler).sweep()));
    await service.get(BatchRecoveryScheduler).sweep();
    expect(await usage()).toEqual([0, 0]);
    expect(await batchRecord(batch)).toMatchObject({ cancelledCount: 4 });
    expect(await batchRecord(batch)).not.toHaveProperty('cancellations');
  });

  describe('of messages pushed over a stream', () => {
    it('asks the phone, and cancels once the phone confirms, once', async () => {
      const { batch, ids } = await sendAndDispatch(3);
      const [kept = '', ...taken] = ids;
      expect(dataOf(await cancelBatch(batch))).toEqual({
        success: true,
        cancelledCount: 0,
        requestedCount: 3,
      });
      expect((await stored(kept))?.status).toBe('dispatched');
      expect(await usage()).toEqual([3, 3]);
      const answers = await Promise.all([
        confirm(taken),
        confirm(taken, client.at(other.url)),
        confirm(taken),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await usage()).toEqual([1, 1]);
      for (const id of taken) {
        expect(await stored(id)).toMatchObject({
          status: 'failed',
          errorCode: 'CANCELLED',
          raised: ['MESSAGE_FAILED'],
        });
      }
      await client.report(device, kept, 'SENT');
      await confirm([kept]); // the phone has already reported it as sent
      expect((await stored(kept))?.status).toBe('sent');
      expect(await usage()).toEqual([1, 1]);
    });

    it('asks for all messages of a large batch, and counts them', async () => {
      transport.cancelled.length = 0;
      const batch = await client.send(numbers(2_500), { deviceId: device });
      const ofBatch = { smsBatch: new Types.ObjectId(batch) };
      const redeliverUntil = new Date(service.clock.now().getTime() + 3_600_000);
      await service.collection('messages').updateMany(ofBatch, {
        $set: { status: 'dispatched', redeliverUntil },
        $unset: { nextDispatchAt: 1 },
      });
      expect(dataOf(await cancelBatch(batch))).toMatchObject({ cancelledCount: 0, requestedCount: 2_500 });
      const ids = await service.collection('messages').distinct('_id', ofBatch);
      expect(transport.cancelled.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
      expect(new Set(transport.cancelled.flat())).toEqual(new Set(ids.map(String)));
    });

    it('redelivers the cancel request instead of the message', async () => {
      const { batch, ids } = await sendAndDispatch(2);
      await cancelMessage(ids[0] ?? '');
      const pending = await client.get(`/gateway/devices/${device}/messages/pending`);
      expect((pending.body as { data: { smsId: string }[] }).data.map(({ smsId }) => smsId)).toEqual([
        ids[1],
      ]);
      expect((await client.post(`/gateway/devices/${device}/heartbeat`)).body).toMatchObject({
        pendingCount: 1,
      });
      expect(dataOf(await cancelBatch(batch)).requestedCount).toBe(2);
    });

    it('does not push a message again if its push fails after the cancel request', async () => {
      transport.resultOf = async (id) => {
        await cancelMessage(id);
        return { outcome: 'unavailable' };
      };
      const { batch, ids } = await sendAndDispatch(1);
      service.clock.advance(60_000);
      transport.pushed.length = 0;
      await dispatch(batch);
      expect(transport.pushed).toEqual([]);
      const pending = await client.get(`/gateway/devices/${device}/messages/pending`);
      expect((pending.body as { data: unknown[] }).data).toEqual([]);
      expect(dataOf(await cancelBatch(batch))).toMatchObject({ cancelledCount: 0, requestedCount: 1 });
      await confirm(ids);
      expect(await stored(ids[0] ?? '')).toMatchObject({ status: 'failed', errorCode: 'CANCELLED' });
      expect(await usage()).toEqual([0, 0]);
    });

    it('does not request acknowledged messages, and ignores unrequested confirmations', async () => {
      const { batch, ids } = await sendAndDispatch(2);
      await confirm(ids);
      await client.post(`/gateway/devices/${device}/messages/ack`, { smsIds: [ids[0]] });
      expect(dataOf(await cancelBatch(batch)).requestedCount).toBe(1);
      await confirm([ids[0] ?? '']);
      expect((await stored(ids[0] ?? ''))?.status).toBe('dispatched');
    });

    it('takes a confirmation from a phone whose acknowledgement crossed the request', async () => {
      const { batch, ids } = await sendAndDispatch(1);
      await cancelBatch(batch);
      await client.post(`/gateway/devices/${device}/messages/ack`, { smsIds: ids });
      await confirm(ids);
      expect((await stored(ids[0] ?? ''))?.status).toBe('failed');
    });

    it('does not change messages of a phone without supportsCancel', async () => {
      device = await client.newDevice();
      const { batch, ids } = await sendAndDispatch(1);
      expect(dataOf(await cancelBatch(batch))).toEqual({
        success: true,
        cancelledCount: 0,
        requestedCount: 0,
      });
      const pending = await client.get(`/gateway/devices/${device}/messages/pending`);
      expect((pending.body as { data: { smsId: string }[] }).data.map(({ smsId }) => smsId)).toEqual(ids);
    });

    it('is confirmed by the virtual phone, offline and while it holds the message', async () => {
      const phone = new VirtualPhone({
        baseUrl: other.url,
        apiKey: client.apiKey,
        sendDelaySeconds: 0,
        deliveryDelaySeconds: 0,
      });
      await phone.start();
      device = phone.deviceId;
      phone.dropStream();
      const { batch, ids } = await sendAndDispatch(3);
      await cancelMessage(ids[0] ?? '');
      await cancelMessage(ids[1] ?? '');
      phone.openStream();
      await eventually(
        () => client.batch(device, batch),
        ({ batch: { failureCount, successCount } }) => failureCount === 2 && successCount === 1,
      );
      await other.get(PhoneStreamService).redeliver();
      expect(phone.airLog.map(({ smsId }) => smsId)).toEqual([ids[2]]);
      await eventually(usage, ([day, month]) => day === 1 && month === 1);
      await phone.stop();
    });
  });
});
