import { Types } from 'mongoose';
import { WavesRepository } from '../../src/gateway/waves/waves.repository';
import { WaveDispatcher } from '../../src/gateway/dispatch/wave-dispatcher.service';
import { ExpiryService } from '../../src/gateway/cancellation/expiry.service';
import { WaitingReview } from '../../src/gateway/routing/waiting-review.service';
import type { Message } from '../../src/messages/message.schema';
import type { TestClient } from '../support/client';
import { newPool } from '../support/new-pool';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

describe('the campaign of a pool', () => {
  let service: TestService;
  let other: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  /** Phones with one SIM each. */
  let phones: string[];
  let sims: string[];
  let pool: string;
  let reported: number;

  // No worker and no timer runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    const environment = { APP_ROLES: 'api,scheduler', DISPATCH_WAVE_SIZE: '5' };
    service = await TestService.start({ environment, transport });
    other = await TestService.start({ environment, shared: service, transport });
    for (const each of [service, other]) each.stopTimers();
    service.clock.stop();
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    transport.devices.length = 0;
    reported = 0;
    client = await service.newAccount();
    const simInfo = { sims: [{ subscriptionId: 7, simSlotIndex: 0 }] };
    const unpaced = { simInfo, partsPerMinute: null };
    phones = [await client.newDevice(unpaced), await client.newDevice(unpaced)];
    const { data } = (await client.get('/gateway/sims')).body as { data: { _id: string; device: string }[] };
    sims = phones.map((id) => data.find(({ device }) => device === id)?._id ?? 'missing');
    pool = await newPool(service, client, sims, { strategy: 'round-robin' });
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const phone = (index: number) => phones[index] ?? 'missing';
  const messagesOf = async (batch: string) =>
    (await service
      .collection('messages')
      .find({ smsBatch: new Types.ObjectId(batch) })
      .toArray()) as unknown as Message[];
  const countPushed = (index: number) => transport.devices.filter((id) => id === phone(index)).length;
  const dispatch = (batch: string, on = service) => dispatchWave(on, batch);

  /** What the schedulers and workers of two processes do, and what phones report, for some time. */
  async function run(ms: number): Promise<void> {
    const until = service.clock.now().getTime() + ms;
    while (service.clock.now().getTime() < until) {
      service.clock.advance(15 * SECOND);
      const now = service.clock.now();
      const repository = service.get(WavesRepository);
      const waves = [
        ...(await repository.listOverdueWaves(now, 9_999)),
        ...(await repository.listOverdueMoves(now, 9_999)),
      ];
      await Promise.all(
        waves.flatMap((wave) => [service, other].map((each) => each.get(WaveDispatcher).dispatchWave(wave))),
      );
      await service.get(WaitingReview).reviewChanged();
      for (; reported < transport.pushed.length; reported++)
        await client.report(transport.devices[reported] ?? '', transport.pushed[reported] ?? '', 'SENT');
    }
  }

  it.each<[string, () => Promise<unknown>]>([
    ['drained', () => client.post(`/gateway/devices/${phone(0)}/drain`).expect(200)],
    ['disabled', () => client.patch(`/gateway/devices/${phone(0)}`, { enabled: false }).expect(200)],
    ['deleted', () => client.delete(`/gateway/devices/${phone(0)}`).expect(200)],
  ])('goes out by the other phone once one is %s, each message exactly once', async (change, apply) => {
    const batch = await client.send(numbers(40), { poolId: pool });
    await run(20 * SECOND);
    const before = countPushed(0);
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(20);
    await apply();
    await run(4 * MINUTE);
    expect(countPushed(0)).toBe(before);
    expect([...transport.pushed].sort()).toEqual(
      (await messagesOf(batch)).map(({ _id }) => _id.toHexString()).sort(),
    );
    const messages = await messagesOf(batch);
    expect(messages.every(({ status }) => status === 'sent')).toBe(true);
    expect(messages.filter(({ device }) => device.equals(phone(1)))).toHaveLength(40 - before);
    if (change === 'drained')
      expect((await client.post(`/gateway/devices/${phone(0)}/drain`)).body).toMatchObject({
        data: { remainingCount: 0, unreportedCount: 0, handedOverCount: 0 },
      });
  });

  describe('that is paused', () => {
    /** A message that its first phone did not send, and that is about to move. */
    async function moving(fields: object = {}): Promise<string> {
      const batch = await client.send(numbers(1), { poolId: pool, ...fields });
      await dispatch(batch);
      await fail(batch);
      return batch;
    }
    const fail = async (batch: string) => {
      const [message] = await messagesOf(batch);
      const fields = { errorCode: '4' };
      await client.report(String(message?.device), String(message?._id), 'FAILED', fields).expect(200);
    };
    const call = (batch: string, action: 'pause' | 'resume') =>
      client.post(`/gateway/batches/${batch}/${action}`).expect(200);
    const expectWaiting = async (batch: string) => {
      service.clock.advance(10 * SECOND);
      await Promise.all([dispatch(batch), dispatch(batch, other)]);
      expect(transport.pushed).toHaveLength(1);
      const [message] = await messagesOf(batch);
      expect(message).toMatchObject({ status: 'dispatched', waitingFor: { reason: 'paused' } });
      expect(message?.moveDueAt).toEqual(message?.nextDispatchAt);
    };

    it.each([true, false])(
      'has a message wait that is to move, and resumes it once; failed before the pause: %s',
      async (isBefore) => {
        let batch: string;
        if (isBefore) {
          batch = await moving();
          await call(batch, 'pause');
        } else {
          batch = await client.send(numbers(1), { poolId: pool });
          await dispatch(batch);
          await call(batch, 'pause');
          await fail(batch);
        }
        await expectWaiting(batch);
        await expectWaitingAgain(batch);
        await call(batch, 'resume');
        service.clock.advance(10 * SECOND);
        await Promise.all([dispatch(batch), dispatch(batch, other)]);
        await dispatch(batch);
        expect(new Set(transport.devices)).toEqual(new Set(phones));
        expect(transport.devices).toHaveLength(2);
        const [message] = await messagesOf(batch);
        expect(message).toMatchObject({ status: 'dispatched', dispatchAttempts: 2 });
        expect(message).not.toHaveProperty('waitingFor');
      },
    );
    it('waits no more when its phone reports that it was sent after all', async () => {
      const batch = await moving();
      await call(batch, 'pause');
      await expectWaiting(batch);
      const [message] = await messagesOf(batch);
      await client.report(String(message?.device), String(message?._id), 'SENT').expect(200);
      const [sent] = await messagesOf(batch);
      expect(sent).toMatchObject({ status: 'sent' });
      for (const field of ['waitingFor', 'moveDueAt']) expect(sent).not.toHaveProperty(field);
    });
    const expectWaitingAgain = async (batch: string) => {
      service.clock.advance(2 * MINUTE);
      await dispatch(batch);
      expect(transport.pushed).toHaveLength(1);
    };

    it('expires one whose deadline passes, once, and refunds it once', async () => {
      const batch = await moving({ validForSeconds: 120 });
      await call(batch, 'pause');
      await expectWaiting(batch);
      service.clock.advance(2 * MINUTE);
      const expire = (on: TestService) => on.get(ExpiryService).expireDue();
      await Promise.all([expire(service), expire(other), dispatch(batch)]);
      await expire(service);
      const [message] = await messagesOf(batch);
      expect(message).toMatchObject({ status: 'failed', errorCode: 'EXPIRED', raised: ['MESSAGE_FAILED'] });
      expect(message).not.toHaveProperty('moveDueAt');
      const used = async () =>
        Number((await service.collection('usages').findOne({ _id: client.user }))?.dayCount);
      expect(await used()).toBe(0);
      await call(batch, 'resume');
      await dispatch(batch);
      await expire(other);
      expect(await used()).toBe(0);
      expect(transport.pushed).toHaveLength(1);
      expect((await messagesOf(batch))[0]?.outbox).toHaveLength(1);
    });
  });

  it('counts a person once for the recipients of a month, however the number is written', async () => {
    await client.patch(`/gateway/sims/${sims[0]}`, { limits: { recipientsPerMonth: 2 } }).expect(200);
    await service.collection('accounts').updateOne({ _id: client.user }, { $set: { defaultCountry: 'GB' } });
    const single = await newPool(service, client, [sims[0] ?? '']);
    for (const recipient of ['+447700900123', '07700900123', '+447700900124'])
      for (const body of [{ poolId: single }, { deviceId: phone(0) }])
        await dispatch(await client.send([recipient], body));
    expect(transport.pushed).toHaveLength(6);
    const usage = await service.collection('simusages').findOne({ _id: new Types.ObjectId(sims[0]) });
    expect(Object.values(usage?.recipients as Record<string, number>).sort()).toEqual([2, 4]);
    const third = await client.send(['07700900125'], { deviceId: phone(0) });
    await dispatch(third);
    expect((await messagesOf(third))[0]?.waitingFor?.reason).toBe('recipients_per_month');
  });
});
