import { Types } from 'mongoose';
import { BillingService } from '../../src/billing/billing.service';
import { DispatchService } from '../../src/gateway/dispatch.service';
import { PhoneStreams } from '../../src/gateway/phone-streams.service';
import { SendScheduler } from '../../src/gateway/send.scheduler';
import { BatchesRepository } from '../../src/messages/batches.repository';
import { CancellationRepository } from '../../src/messages/cancellation.repository';
import { VirtualPhone } from '../../tools/virtual-phone/virtual-phone';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';

const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

interface CancelJson {
  success: boolean;
  cancelledCount: number;
  requestedCount: number;
}

describe('cancelling', () => {
  let service: TestService;
  let other: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  // Two processes of one installation. No worker takes jobs by itself: each test runs the steps it is about.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    other = await TestService.start({ environment: { APP_ROLES: 'api' }, shared: service });
  });
  beforeEach(async () => {
    transport.answer = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    client = await service.newAccount();
    device = await client.newDevice({ supportsCancel: true });
  });
  afterEach(() => {
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
  const dispatch = (batch: string, wave = 0) =>
    service.get(DispatchService).dispatchWave({ batch: new Types.ObjectId(batch), wave });
  const idsOf = async (batch: string) => (await client.batch(device, batch)).messages.map(({ _id }) => _id);
  const stored = (id: string) => service.collection('messages').findOne({ _id: new Types.ObjectId(id) });
  const usage = async () => {
    const found = await service.collection('usages').findOne({ _id: client.user });
    return [Number(found?.dayCount), Number(found?.monthCount)];
  };
  const batchRecord = (batch: string) =>
    service.collection('batches').findOne({ _id: new Types.ObjectId(batch) });

  /** A batch that is handed to the phone, which has acknowledged none of it. */
  async function handOver(count: number): Promise<{ batch: string; ids: string[] }> {
    const batch = await client.send(numbers(count), { deviceId: device });
    await dispatch(batch);
    return { batch, ids: await idsOf(batch) };
  }

  it('takes a message in back-off: the push service has definitely not taken it', async () => {
    transport.answer = () => ({ outcome: 'unavailable' });
    const { batch, ids } = await handOver(2);
    expect(await stored(ids[0] ?? '')).toMatchObject({ status: 'pending', dispatchAttempts: 1 });
    expect(dataOf(await cancelBatch(batch))).toMatchObject({ cancelledCount: 2, requestedCount: 0 });
    expect(await usage()).toEqual([0, 0]);
    service.clock.advance(60_000);
    transport.pushed.length = 0;
    await dispatch(batch);
    expect(transport.pushed).toEqual([]);
  });

  it('leaves alone what a worker is pushing at this moment', async () => {
    let answer: CancelJson | undefined;
    transport.answer = async (id) => {
      answer = dataOf(await cancelMessage(id));
      return { outcome: 'accepted' };
    };
    const { ids } = await handOver(1);
    expect(answer?.cancelledCount).toBe(0);
    expect((await stored(ids[0] ?? ''))?.status).toBe('dispatched');
  });

  it('takes single messages, then the rest, and gives back each once, whoever asks how often', async () => {
    const scheduledAt = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
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

  it('knows only messages the account sends', async () => {
    const { ids } = await handOver(1);
    const stranger = await service.newAccount();
    expect((await cancelMessage(ids[0] ?? '', stranger)).status).toBe(404);
    expect((await cancelMessage('nope')).status).toBe(400);
  });

  it.each([
    ['the write', () => jest.spyOn(service.get(CancellationRepository), 'read')],
    ['the refund', () => jest.spyOn(service.get(BillingService), 'giveBack')],
    ['the end', () => jest.spyOn(service.get(BatchesRepository), 'finishCancel')],
  ] as const)('that died at %s is completed by the sweeper, once', async (_, spyOn) => {
    const batch = await client.send(numbers(4), { deviceId: device });
    const [first = ''] = await idsOf(batch);
    (spyOn() as jest.SpyInstance).mockRejectedValueOnce(new Error('kill -9'));
    expect((await cancelMessage(first)).status).toBe(500);
    expect(dataOf(await cancelBatch(batch)).cancelledCount).toBe(4);
    service.clock.advance(16_000);
    await Promise.all([1, 2, 3].map(() => service.get(SendScheduler).sweep()));
    await service.get(SendScheduler).sweep();
    expect(await usage()).toEqual([0, 0]);
    expect(await batchRecord(batch)).toMatchObject({ cancelledCount: 4 });
    expect(await batchRecord(batch)).not.toHaveProperty('cancellations');
  });

  it('completes what a process of the version before left', async () => {
    const batch = await client.send(numbers(2), { deviceId: device });
    const smsBatch = new Types.ObjectId(batch);
    await service
      .collection('messages')
      .updateMany({ smsBatch }, { $set: { status: 'failed', errorCode: 'CANCELLED' } });
    await service
      .collection('batches')
      .updateOne({ _id: smsBatch }, { $set: { cancellingSince: service.clock.now() } });
    service.clock.advance(16_000);
    await service.get(SendScheduler).sweep();
    await service.get(SendScheduler).sweep();
    expect(await usage()).toEqual([0, 0]);
    expect(await batchRecord(batch)).toMatchObject({ cancelledCount: 2 });
    expect(await batchRecord(batch)).not.toHaveProperty('cancellingSince');
  });

  describe('what a phone was handed over a stream', () => {
    it('asks the phone, and believes only its answer, once', async () => {
      const { batch, ids } = await handOver(3);
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
      await confirm([kept]); // it has said before that it was sent
      expect((await stored(kept))?.status).toBe('sent');
      expect(await usage()).toEqual([1, 1]);
    });

    it('hands the phone the request instead of the message from then on', async () => {
      const { batch, ids } = await handOver(2);
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

    it('does not ask about what was acknowledged, nor believe what nobody asked', async () => {
      const { batch, ids } = await handOver(2);
      await confirm(ids);
      await client.post(`/gateway/devices/${device}/messages/ack`, { smsIds: [ids[0]] });
      expect(dataOf(await cancelBatch(batch)).requestedCount).toBe(1);
      await confirm([ids[0] ?? '']);
      expect((await stored(ids[0] ?? ''))?.status).toBe('dispatched');
    });

    it('believes a phone whose acknowledgement crossed the request', async () => {
      const { batch, ids } = await handOver(1);
      await cancelBatch(batch);
      await client.post(`/gateway/devices/${device}/messages/ack`, { smsIds: ids });
      await confirm(ids);
      expect((await stored(ids[0] ?? ''))?.status).toBe('failed');
    });

    it('of a phone that does not know of it stays as it is', async () => {
      device = await client.newDevice();
      const { batch, ids } = await handOver(1);
      expect(dataOf(await cancelBatch(batch))).toEqual({
        success: true,
        cancelledCount: 0,
        requestedCount: 0,
      });
      const pending = await client.get(`/gateway/devices/${device}/messages/pending`);
      expect((pending.body as { data: { smsId: string }[] }).data.map(({ smsId }) => smsId)).toEqual(ids);
    });

    it('is taken back by the virtual phone: while it is away, and while it has it', async () => {
      const phone = new VirtualPhone({
        baseUrl: other.url,
        apiKey: client.apiKey,
        sendDelaySeconds: 0,
        deliveryDelaySeconds: 0,
      });
      await phone.start();
      device = phone.deviceId;
      phone.dropStream();
      const { batch, ids } = await handOver(3);
      await cancelMessage(ids[0] ?? '');
      await cancelMessage(ids[1] ?? '');
      phone.openStream();
      await eventually(
        () => client.batch(device, batch),
        ({ batch: { failureCount, successCount } }) => failureCount === 2 && successCount === 1,
      );
      await other.get(PhoneStreams).offerAgain();
      expect(phone.airLog.map(({ smsId }) => smsId)).toEqual([ids[2]]);
      expect(await usage()).toEqual([1, 1]);
      await phone.stop();
    });
  });
});
