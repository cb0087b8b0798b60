import { Types } from 'mongoose';
import { SimAdmission } from '../../src/devices/sims/sim-admission.service';
import { DispatchOutcomesRepository } from '../../src/gateway/dispatch/dispatch-outcomes.repository';
import { PushClaimsRepository } from '../../src/gateway/dispatch/push-claims.repository';
import { WavesRepository } from '../../src/gateway/waves/waves.repository';
import { UnconfirmedMessagesService } from '../../src/phones/checks/unconfirmed-messages.service';
import { WaitingReview } from '../../src/gateway/routing/waiting-review.service';
import type { Batch } from '../../src/messages/batch.schema';
import type { Message } from '../../src/messages/message.schema';
import type { PushResult } from '../../src/push/transport/push-transport';
import type { MessageJson, TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { pauseNextCall } from '../support/pause-next-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const MINUTE = 60_000;
const NUMBER = '+4915100000001';
const REFUSED: PushResult = { outcome: 'refused', code: 'PUSH_TOKEN_INVALID', isTokenInvalid: true };
const UNAVAILABLE: PushResult = { outcome: 'unavailable' };
const ACCEPTED: PushResult = { outcome: 'accepted' };

describe('the messages of a pool', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let pool: Types.ObjectId;
  /** Phones with one SIM each. */
  let phones: string[];
  let sims: string[];

  // No worker and no timer runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    service.stopTimers();
    service.clock.stop();
  });
  beforeEach(async () => {
    transport.resultOf = () => ACCEPTED;
    transport.pushed.length = 0;
    transport.devices.length = 0;
    client = await service.newAccount();
    phones = [];
    sims = [];
    pool = new Types.ObjectId();
    await addPhones(2);
  });
  afterAll(() => service.stop());

  const phone = (index: number) => phones[index] ?? 'missing';
  const sim = (index: number) => sims[index] ?? 'missing';

  async function addPhones(count: number): Promise<void> {
    for (let index = 0; index < count; index++)
      phones.push(
        await client.newDevice({
          supportsEncryption: true,
          simInfo: { sims: [{ subscriptionId: 7, simSlotIndex: 0 }] },
        }),
      );
    const { data } = (await client.get('/gateway/sims')).body as { data: { _id: string; device: string }[] };
    sims = phones.map((id) => data.find(({ device }) => device === id)?._id ?? 'missing');
    const now = service.clock.now();
    await service.collection('pools').replaceOne(
      { _id: pool },
      {
        user: client.user,
        name: 'All',
        sims: sims.map((id) => new Types.ObjectId(id)),
        strategy: 'sticky',
        createdAt: now,
        updatedAt: now,
      },
      { upsert: true },
    );
  }

  /** A send to the pool, bound to the first phone. @returns the id of the batch. */
  async function send(fields: object = {}, recipients = [NUMBER]): Promise<string> {
    const batch = await client.send(recipients, { deviceId: phone(0), ...fields });
    const ofBatch = { smsBatch: new Types.ObjectId(batch) };
    const bound = { pool, sim: new Types.ObjectId(sim(0)), simSubscriptionId: 7, isSimChosen: true };
    await service.collection('messages').updateMany(ofBatch, { $set: bound });
    await service
      .collection('batches')
      .updateOne({ _id: ofBatch.smsBatch }, { $set: { pool, devices: [new Types.ObjectId(phone(0))] } });
    return batch;
  }

  const dispatch = (batch: string, on = service) => dispatchWave(on, batch);
  const dispatchAfter = (batch: string, ms: number) => {
    service.clock.advance(ms);
    return dispatch(batch);
  };
  const move = (batch: string) => dispatchAfter(batch, 10_000);
  const stored = async (batch: string) =>
    (await service
      .collection('messages')
      .findOne({ smsBatch: new Types.ObjectId(batch) })) as unknown as Message;
  const storedBatch = async (batch: string) =>
    (await service.collection('batches').findOne({ _id: new Types.ObjectId(batch) })) as unknown as Batch;
  const handedTo = () => transport.devices.map((id) => phones.indexOf(id));
  const report = async (index: number, batch: string, status: string, errorCode?: string) =>
    (
      await client.report(phone(index), (await stored(batch))._id.toHexString(), status, {
        ...(errorCode !== undefined && { errorCode }),
      })
    ).status;
  const events = async (batch: string) => (await stored(batch)).raised;

  describe('before they are handed over', () => {
    it('stay with their SIM if it can take them', async () => {
      const batch = await send();
      await dispatch(batch);
      expect(handedTo()).toEqual([0]);
      const message = await stored(batch);
      expect(message).toMatchObject({ status: 'dispatched', simSubscriptionId: 7, isSimChosen: true });
      expect(message.sim?.toHexString()).toBe(sim(0));
      expect((await storedBatch(batch)).devices?.map(String)).toEqual([phone(0)]);
    });

    it.each<[string, () => Promise<unknown>]>([
      ['SIM is disabled', () => client.patch(`/gateway/sims/${sim(0)}`, { enabled: false })],
      ['phone is disabled', () => client.patch(`/gateway/devices/${phone(0)}`, { enabled: false })],
      ['phone is deleted', () => client.delete(`/gateway/devices/${phone(0)}`)],
      [
        'SIM has reached a limit',
        async () => {
          await client.patch(`/gateway/sims/${sim(0)}`, { limits: { messagesPerDay: 1 } });
          await dispatch(await send({}, ['+4915100000002']));
          transport.devices.length = 0;
        },
      ],
      [
        'phone is drained',
        () =>
          service
            .collection('devices')
            .updateOne({ _id: new Types.ObjectId(phone(0)) }, { $set: { drainingSince: new Date() } }),
      ],
    ])('move if their %s', async (_, change) => {
      const batch = await send();
      await change();
      await dispatch(batch);
      expect(handedTo()).toEqual([1]);
      const message = await stored(batch);
      expect(message).toMatchObject({ status: 'dispatched', choice: { reason: 'only_sim' } });
      expect([message.device, message.sim].map(String)).toEqual([phone(1), sim(1)]);
      expect(message).not.toHaveProperty('attempts');
      expect((await storedBatch(batch)).devices?.map(String)).toEqual([phone(0), phone(1)]);
      expect(await report(1, batch, 'SENT')).toBe(200);
      expect((await stored(batch)).status).toBe('sent');
    });

    it('do not move for a pace that lets them leave within a minute', async () => {
      await client.patch(`/gateway/sims/${sim(0)}`, { limits: { partsPerMinute: 4 } });
      await dispatch(await send({}, ['+4915100000002']));
      const batch = await send();
      await dispatch(batch);
      expect(handedTo()).toEqual([0]);
      expect(await stored(batch)).toMatchObject({
        status: 'pending',
        waitingFor: { reason: 'parts_per_minute' },
      });
    });

    it('wait if no SIM can take them, and go out by the first that can', async () => {
      const batch = await send();
      for (const id of sims) await client.patch(`/gateway/sims/${id}`, { enabled: false });
      await dispatch(batch);
      const message = await stored(batch);
      expect(message).toMatchObject({ status: 'pending', waitingFor: { reason: 'sim_disabled' } });
      expect(message.sim?.toHexString()).toBe(sim(0));
      expect(message.nextDispatchAt?.getTime()).toBe(service.clock.now().getTime() + MINUTE);
      await client.patch(`/gateway/sims/${sim(1)}`, { enabled: true });
      await dispatchAfter(batch, MINUTE);
      expect(handedTo()).toEqual([1]);
    });

    it('tell the limit that holds them back the shortest', async () => {
      await client.patch(`/gateway/sims/${sim(0)}`, { limits: { messagesPerMonth: 1 } });
      await client.patch(`/gateway/sims/${sim(1)}`, { limits: { messagesPerHour: 1 } });
      for (const last of [2, 3]) await dispatch(await send({}, [`+491510000000${String(last)}`]));
      expect(handedTo()).toEqual([0, 1]);
      const batch = await send();
      await dispatch(batch);
      const { waitingFor } = await stored(batch);
      expect(waitingFor?.reason).toBe('messages_per_hour');
      expect(waitingFor?.until?.getTime()).toBeLessThanOrEqual(service.clock.now().getTime() + 60 * MINUTE);
      expect(transport.pushed.length).toBe(2);
    });

    it('stay with their phone, and fail with it, once the pool is deleted', async () => {
      const [first, second] = [await send(), await send()];
      await service.collection('pools').deleteOne({ _id: pool });
      await dispatch(first);
      expect(handedTo()).toEqual([0]);
      await client.patch(`/gateway/devices/${phone(0)}`, { enabled: false });
      await dispatch(second);
      expect(await stored(second)).toMatchObject({ status: 'failed', errorCode: 'DEVICE_DISABLED' });
    });
  });

  describe('that provably did not leave', () => {
    it('move from a phone that reports it, once, without an event', async () => {
      const batch = await send();
      await dispatch(batch);
      service.clock.advance(1_000);
      const [first, second] = await Promise.all([
        report(0, batch, 'FAILED', '4'),
        report(0, batch, 'FAILED', '4'),
      ]);
      expect([first, second, await report(0, batch, 'FAILED', '1')]).toEqual([200, 200, 200]);
      const waiting = await stored(batch);
      expect(waiting).toMatchObject({ status: 'dispatched', raised: [], outbox: [] });
      expect(waiting.attempts).toMatchObject([
        { device: new Types.ObjectId(phone(0)), outcome: 'not_sent', code: '4' },
      ]);
      expect(waiting.attempts?.[0]?.startedAt?.getTime()).toBe(service.clock.now().getTime() - 1_000);
      expect(waiting).not.toHaveProperty('redeliverUntil');
      await dispatchAfter(batch, 9_000);
      expect(handedTo()).toEqual([0]);
      await dispatchAfter(batch, 1_000);
      await move(batch);
      expect(handedTo()).toEqual([0, 1]);
      const moved = await stored(batch);
      expect(moved).toMatchObject({ status: 'dispatched', dispatchAttempts: 2 });
      expect(moved).not.toHaveProperty('moveDueAt');
      expect(String(moved.device)).toBe(phone(1));
      expect(moved.dispatchedAt?.getTime()).toBe(service.clock.now().getTime() - 10_000);
      expect(await report(1, batch, 'DELIVERED')).toBe(200);
      expect(await events(batch)).toEqual(['MESSAGE_DELIVERED']);
    });

    it('move also if the phone reports before its push has a result', async () => {
      const batch = await send();
      transport.resultOf = async () => {
        transport.resultOf = () => ACCEPTED;
        await report(0, batch, 'FAILED', '2');
        return ACCEPTED;
      };
      await dispatch(batch);
      expect(await stored(batch)).toMatchObject({
        status: 'dispatched',
        attempts: [{ outcome: 'not_sent' }],
      });
      await move(batch);
      expect(handedTo()).toEqual([0, 1]);
    });

    it.each<[string, PushResult, string]>([
      ['refused it for good', REFUSED, 'refused'],
      ['could not take it', UNAVAILABLE, 'unavailable'],
    ])('move if the push service %s', async (_, result, outcome) => {
      await client.patch(`/gateway/sims/${sim(0)}`, { limits: { messagesPerDay: 5 } });
      const batch = await send();
      transport.resultOf = (_id, device) => (device === phone(0) ? result : ACCEPTED);
      await dispatch(batch);
      expect(await stored(batch)).toMatchObject({ status: 'pending', attempts: [{ outcome }], raised: [] });
      await dispatchAfter(batch, 9_999);
      expect(handedTo()).toEqual([0]);
      await dispatchAfter(batch, 1);
      await move(batch);
      expect(handedTo()).toEqual([0, 1]);
      const usage = await service.collection('simusages').findOne({ _id: new Types.ObjectId(sim(0)) });
      expect(usage).toMatchObject({ day: { count: 0 }, reservations: [] });
    });

    it('fail once, with the last code, when no phone is left', async () => {
      const batch = await send();
      await dispatch(batch);
      await report(0, batch, 'FAILED', '4');
      await move(batch);
      await report(1, batch, 'FAILED', '5');
      expect((await stored(batch)).status).toBe('dispatched');
      await move(batch);
      await move(batch);
      expect(handedTo()).toEqual([0, 1]);
      const message = await stored(batch);
      expect(message).toMatchObject({
        status: 'failed',
        errorCode: '5',
        raised: ['MESSAGE_FAILED'],
        attempts: [{ code: '4' }, { code: '5' }],
      });
      expect(message).not.toHaveProperty('moveDueAt');
      expect(await report(0, batch, 'SENT')).toBe(200);
      expect(await events(batch)).toEqual(['MESSAGE_FAILED']);
    });

    it('are tried for 30 minutes if the push service takes none, by any phone', async () => {
      const batch = await send();
      transport.resultOf = () => UNAVAILABLE;
      await dispatch(batch);
      await move(batch);
      expect(handedTo()).toEqual([0, 1]);
      await move(batch);
      expect(handedTo().length).toBe(3);
      expect((await stored(batch)).attempts?.length).toBe(2);
      for (let minutes = 0; minutes < 30; minutes += 5) await dispatchAfter(batch, 5 * MINUTE);
      expect((await stored(batch)).status).toBe('pending');
      for (let turn = 0; turn < 3; turn++) await dispatchAfter(batch, 5 * MINUTE);
      expect(await stored(batch)).toMatchObject({
        status: 'failed',
        errorCode: 'PUSH_UNAVAILABLE',
        raised: ['MESSAGE_FAILED'],
      });
    });

    it('go to a phone that the push service could not reach, when it can again', async () => {
      const batch = await send();
      transport.resultOf = () => UNAVAILABLE;
      await dispatch(batch);
      await move(batch);
      transport.resultOf = () => ACCEPTED;
      await move(batch);
      expect(handedTo().length).toBe(3);
      expect((await stored(batch)).status).toBe('dispatched');
    });

    it('stay counted for the SIM of a phone that had them', async () => {
      await client.patch(`/gateway/sims/${sim(0)}`, { limits: { messagesPerDay: 5 } });
      const batch = await send();
      crashAtCall(SimAdmission, 'settleAdmission')(service, 'before');
      await expect(dispatch(batch)).rejects.toThrow('killed');
      await report(0, batch, 'FAILED', '4');
      await move(batch);
      service.clock.advance(MINUTE);
      await service.get(WaitingReview).reviewUsages();
      const usage = await service.collection('simusages').findOne({ _id: new Types.ObjectId(sim(0)) });
      expect(usage).toMatchObject({ day: { count: 1 }, reservations: [] });
    });

    it('can be cancelled while they wait', async () => {
      const batch = await send();
      await dispatch(batch);
      await report(0, batch, 'FAILED', '4');
      const id = (await stored(batch))._id.toHexString();
      const answer = await client.post(`/gateway/messages/${id}/cancel`);
      expect(answer.body).toMatchObject({ data: { cancelledCount: 1 } });
      await move(batch);
      expect(handedTo()).toEqual([0]);
      expect(await stored(batch)).toMatchObject({ status: 'failed', errorCode: 'CANCELLED' });
    });

    it('wait for a phone that comes back, whatever becomes of the one that had them', async () => {
      const batch = await send();
      await client.patch(`/gateway/devices/${phone(1)}`, { enabled: false });
      await dispatch(batch);
      await report(0, batch, 'FAILED', '4');
      await client.delete(`/gateway/devices/${phone(0)}`);
      await move(batch);
      service.clock.advance(25 * 60 * MINUTE);
      await service.get(UnconfirmedMessagesService).markUnconfirmed();
      await service.get(UnconfirmedMessagesService).markUnconfirmedOfDeletedDevices();
      expect(await stored(batch)).toMatchObject({
        status: 'dispatched',
        waitingFor: { reason: 'sim_disabled' },
      });
      await client.patch(`/gateway/devices/${phone(1)}`, { enabled: true });
      await client.post(`/gateway/devices/${phone(1)}/heartbeat`, {});
      await dispatch(batch);
      expect(handedTo()).toEqual([0, 1]);
      await service.get(UnconfirmedMessagesService).markUnconfirmed();
      expect((await stored(batch)).status).toBe('dispatched');
    });
  });

  describe('that may have left', () => {
    it.each<[string, object, string]>([
      ['generic failure', {}, '1'],
      ['failure of a text of several parts', { message: 'x'.repeat(161) }, '4'],
      [
        'failure of an encrypted text of unknown length',
        { encrypted: true, message: undefined, encryptedMessage: 'A'.repeat(200) },
        '4',
      ],
    ])('fail by a %s', async (_, fields, code) => {
      const batch = await send(fields);
      await dispatch(batch);
      expect(await report(0, batch, 'FAILED', code)).toBe(200);
      expect(await stored(batch)).toMatchObject({ status: 'failed', errorCode: code });
      await move(batch);
      expect(handedTo()).toEqual([0]);
    });

    it('fail by a failure after they were sent', async () => {
      const batch = await send();
      await dispatch(batch);
      await report(0, batch, 'SENT');
      await report(0, batch, 'FAILED', '4');
      expect(await stored(batch)).toMatchObject({ status: 'failed', errorCode: '4' });
      expect(await events(batch)).toEqual(['MESSAGE_SENT', 'MESSAGE_FAILED']);
    });

    it('never move after a push in doubt', async () => {
      const batch = await send();
      transport.resultOf = () => ({ outcome: 'doubt' });
      await dispatch(batch);
      await client.delete(`/gateway/devices/${phone(0)}`);
      await move(batch);
      await service.get(UnconfirmedMessagesService).markUnconfirmedOfDeletedDevices();
      expect(await stored(batch)).toMatchObject({ status: 'unknown', unconfirmedReason: 'DEVICE_DELETED' });
      await move(batch);
      expect(handedTo()).toEqual([0]);
    });

    it('fail without a pool as ever', async () => {
      const batch = await client.send([NUMBER], { deviceId: phone(0) });
      await dispatch(batch);
      await report(0, batch, 'FAILED', '4');
      expect(await stored(batch)).toMatchObject({ status: 'failed', errorCode: '4' });
    });
  });

  describe('in races', () => {
    /** A message that its first phone did not send. */
    async function failed(): Promise<string> {
      const batch = await send();
      await dispatch(batch);
      await report(0, batch, 'FAILED', '4');
      return batch;
    }

    it('move once when two workers claim them', async () => {
      const other = await TestService.start({
        environment: { APP_ROLES: 'api' },
        shared: service,
        transport,
      });
      try {
        for (let turn = 0; turn < 5; turn++) {
          transport.devices.length = 0;
          const batch = await failed();
          service.clock.advance(10_000);
          await Promise.all([dispatch(batch), dispatch(batch, other), dispatch(batch)]);
          expect(handedTo()).toEqual([0, 1]);
          expect((await stored(batch)).dispatchAttempts).toBe(2);
        }
      } finally {
        await other.stop();
      }
    });

    it('stay sent if the failure that their phone has corrected comes once more', async () => {
      const batch = await send();
      await dispatch(batch);
      expect(await report(0, batch, 'FAILED', '4')).toBe(200);
      expect(await report(0, batch, 'SENT')).toBe(200);
      expect(await report(0, batch, 'FAILED', '4')).toBe(200);
      expect(await stored(batch)).toMatchObject({ status: 'sent', raised: ['MESSAGE_SENT'] });
      // Another failure is none of those.
      expect(await report(0, batch, 'FAILED', '1')).toBe(200);
      expect(await stored(batch)).toMatchObject({ status: 'failed', errorCode: '1' });
    });

    it('do not move if they were sent after all', async () => {
      const batch = await failed();
      expect(await report(0, batch, 'SENT')).toBe(200);
      expect(await stored(batch)).toMatchObject({ status: 'sent', raised: ['MESSAGE_SENT'] });
      expect(await stored(batch)).not.toHaveProperty('moveDueAt');
      await move(batch);
      expect(handedTo()).toEqual([0]);
    });

    it('do not move if they were reported as sent while a worker claims them', async () => {
      const batch = await failed();
      const paused = pauseNextCall(service, PushClaimsRepository, 'claim');
      const moving = move(batch);
      await paused.reached;
      await report(0, batch, 'DELIVERED');
      paused.release(false);
      await moving;
      expect(handedTo()).toEqual([0]);
      expect((await stored(batch)).status).toBe('delivered');
    });

    it('are settled by an earlier phone that had sent them, whatever the later one reports', async () => {
      const batch = await failed();
      await move(batch);
      expect(await report(0, batch, 'FAILED', '1')).toBe(200);
      expect((await stored(batch)).status).toBe('dispatched');
      expect(await report(0, batch, 'SENT')).toBe(200);
      const settled = await stored(batch);
      expect(settled).toMatchObject({ status: 'sent', raised: ['MESSAGE_SENT'] });
      expect(settled.attempts?.[0]?.sentAt).toBeInstanceOf(Date);
      expect(settled).not.toHaveProperty('redeliverUntil');
      expect(await report(1, batch, 'FAILED', '4')).toBe(200);
      expect((await stored(batch)).status).toBe('sent');
      expect(await report(0, batch, 'DELIVERED')).toBe(200);
      expect(await events(batch)).toEqual(['MESSAGE_SENT', 'MESSAGE_DELIVERED']);
    });

    it('are not reported by a phone that never had them', async () => {
      await addPhones(1);
      const batch = await failed();
      expect(await report(2, batch, 'SENT')).toBe(404);
    });

    it('are found by the scheduler after a process died between the release and the move', async () => {
      const batch = await send();
      transport.resultOf = () => REFUSED;
      crashAtCall(DispatchOutcomesRepository, 'endAttempts')(service, 'after');
      await expect(dispatch(batch)).rejects.toThrow('killed');
      transport.resultOf = () => ACCEPTED;
      service.clock.advance(10_000);
      const wave = { user: client.user, batch: new Types.ObjectId(batch), wave: 0 };
      expect(await service.get(WavesRepository).listOverdueWaves(service.clock.now(), 99)).toContainEqual(
        wave,
      );
      await dispatch(batch);
      const reported = await failed();
      service.clock.advance(10_000);
      const found = await service.get(WavesRepository).listOverdueMoves(service.clock.now(), 99);
      expect(found).toContainEqual({ user: client.user, batch: new Types.ObjectId(reported), wave: 0 });
      await dispatch(reported);
      expect(handedTo()).toEqual([0, 1, 0, 1]);
    });

    it('are in doubt, and never pushed again, after a process died with the claim of a move', async () => {
      await addPhones(1);
      const batch = await failed();
      crashAtCall(PushClaimsRepository, 'claim')(service, 'after');
      await expect(move(batch)).rejects.toThrow('killed');
      await dispatchAfter(batch, 2 * MINUTE);
      await dispatchAfter(batch, 24 * 60 * MINUTE);
      await service.get(UnconfirmedMessagesService).markUnconfirmed();
      expect(handedTo()).toEqual([0]);
      expect(await stored(batch)).toMatchObject({ status: 'unknown', unconfirmedReason: 'NO_REPORT' });
    });

    it('never go to a phone that had them, though a slow worker has chosen it', async () => {
      await addPhones(1);
      const batch = await failed();
      const paused = pauseNextCall(service, PushClaimsRepository, 'claim');
      const slow = move(batch);
      await paused.reached;
      await dispatch(batch); // another worker is faster
      const [, second = -1] = handedTo();
      await report(second, batch, 'FAILED', '4');
      service.clock.advance(10_000);
      paused.release(false);
      await slow;
      expect(handedTo()).toEqual([0, second]);
      await dispatch(batch);
      expect(handedTo()).toEqual([0, second, 3 - second]);
    });

    it('go out once when the first phone has lost its token, with the answer of both phones', async () => {
      const batch = await send();
      transport.resultOf = (_id, device) => (device === phone(0) ? REFUSED : ACCEPTED);
      await dispatch(batch);
      await move(batch);
      await report(1, batch, 'SENT');
      const shown: MessageJson = await client.message(phone(1), transport.pushed[0] ?? '');
      expect(shown).toMatchObject({ status: 'sent', dispatchAttempts: 2 });
      expect(handedTo()).toEqual([0, 1]);
    });
  });
});
