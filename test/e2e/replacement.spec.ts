import { Types } from 'mongoose';
import { MessageMovesRepository } from '../../src/gateway/routing/message-moves.repository';
import { WaitingMessagesRepository } from '../../src/gateway/routing/waiting-messages.repository';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import type { MessageClaim } from '../../src/gateway/dispatch/message-claim';
import { OfferClaimsRepository } from '../../src/gateway/dispatch/offer-claims.repository';
import { PushClaimsRepository } from '../../src/gateway/dispatch/push-claims.repository';
import { UnconfirmedMessagesService } from '../../src/phones/checks/unconfirmed-messages.service';
import { TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { type PausedCall, pauseNextCall } from '../support/pause-next-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const NUMBER = '+4915112345678';
const MINUTE = 60_000;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

describe('replacing a phone', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let old: string;
  let next: string;

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
    transport.devices.length = 0;
    client = await service.newAccount();
    [old, next] = [await client.newDevice(), await client.newDevice()];
  });
  afterAll(() => service.stop());

  const replace = (id = old, deviceId: unknown = next) =>
    client.post(`/gateway/devices/${id}/replace`, { deviceId });
  const codeOf = ({ status, body }: Answer) => [status, (body as { code?: string }).code];
  const progressOf = ({ body }: Answer) => (body as { data: object }).data;
  const send = (fields: object = {}) => client.send([NUMBER], { deviceId: old, ...fields });
  const dispatch = (batch: string) => dispatchWave(service, batch);
  const sweep = () => service.get(UnconfirmedMessagesService).markUnconfirmedOfDeletedDevices();
  const stored = async (batch: string) => {
    const found = await service.collection('messages').findOne({ smsBatch: new Types.ObjectId(batch) });
    if (!found) throw new Error('there is no such message');
    return { ...found, device: String(found.device) } as typeof found & { device: string };
  };
  /** Into one that is not stored, as if it had been deleted since. */
  const putIntoPool = async (batch: string): Promise<Types.ObjectId> => {
    const pool = new Types.ObjectId();
    await service
      .collection('messages')
      .updateOne({ smsBatch: new Types.ObjectId(batch) }, { $set: { pool } });
    return pool;
  };
  const DONE = { movedCount: 0, unconfirmedCount: 0, isComplete: true };

  it('moves what waits, makes unknown what the phone may have, and keeps its history', async () => {
    const settled = await send();
    await dispatch(settled);
    await client.report(old, String((await stored(settled))._id), 'SENT');
    const handedOver = await send();
    await dispatch(handedOver);
    const acknowledged = await send();
    await dispatch(acknowledged);
    const acknowledgedId = String((await stored(acknowledged))._id);
    await client.post(`/gateway/devices/${old}/messages/ack`, { smsIds: [acknowledgedId] });
    const scheduledAt = new Date(service.clock.now().getTime() + 10 * MINUTE).toISOString();
    const [due, scheduled] = [await send(), await send({ scheduledAt, simSubscriptionId: 3 })];
    await client.post(`/gateway/devices/${old}/set-default`);

    const answer = await replace();
    expect([answer.status, progressOf(answer)]).toEqual([
      200,
      { movedCount: 2, unconfirmedCount: 2, isComplete: true },
    ]);
    expect(await stored(settled)).toMatchObject({ device: old, status: 'sent' });
    for (const batch of [handedOver, acknowledged]) {
      const message = await stored(batch);
      expect(message).toMatchObject({
        device: old,
        status: 'unknown',
        unconfirmedReason: 'DEVICE_REPLACED',
        outbox: [{ event: 'MESSAGE_UNCONFIRMED' }],
      });
      expect(message).not.toHaveProperty('redeliverUntil');
    }
    expect(await stored(due)).toMatchObject({ device: next, status: 'pending' });
    const moved = await stored(scheduled);
    expect(moved).toMatchObject({ device: next, nextDispatchAt: new Date(scheduledAt) });
    // The SIMs of the other phone have other ids.
    expect(moved).not.toHaveProperty('simSubscriptionId');

    expect(progressOf(await replace())).toEqual(DONE);
    await dispatch(due);
    expect(transport.devices.at(-1)).toBe(next);
    await dispatch(scheduled);
    expect(transport.pushed).toHaveLength(4);
    service.clock.advance(10 * MINUTE);
    await dispatch(scheduled);
    expect(transport.devices.at(-1)).toBe(next);

    expect((await client.get(`/gateway/devices/${old}`)).status).toBe(404);
    expect((await client.get(`/gateway/devices/${next}`)).body).toMatchObject({ data: { isDefault: true } });
    expect((await client.batch(next, due)).batch).toMatchObject({ _id: due });
    const listed = await client.get('/gateway/messages?includeDeletedDevices=true');
    expect((listed.body as { data: unknown[] }).data).toHaveLength(5);
    const without = await client.get('/gateway/messages');
    expect((without.body as { data: unknown[] }).data).toHaveLength(2);
  });

  it('has a message leave at once that waited for the old phone, and keeps the pause of a batch', async () => {
    const [waits, paused] = [await send(), await send()];
    const now = service.clock.now();
    await service.get(WaitingMessagesRepository).hold(
      [
        {
          id: (await stored(waits))._id,
          reason: 'phone_unreachable',
          until: new Date(now.getTime() + MINUTE),
          retryAt: new Date(now.getTime() + MINUTE),
        },
      ],
      [{ _id: (await stored(waits))._id, user: client.user }],
      now,
    );
    expect(await stored(waits)).toMatchObject({ waitingFor: { reason: 'phone_unreachable' } });
    await client.post(`/gateway/batches/${paused}/pause`);
    await replace();
    const moved = await stored(waits);
    expect(moved).toMatchObject({ device: next, nextDispatchAt: now });
    for (const field of ['waitingFor', 'giveUpAt', 'sim']) expect(moved).not.toHaveProperty(field);
    expect(await stored(paused)).toMatchObject({ device: next, waitingFor: { reason: 'paused' } });
    await client.post(`/gateway/batches/${paused}/resume`);
    for (const batch of [waits, paused]) await dispatch(batch);
    expect(transport.devices).toEqual([next, next]);
  });

  it('leaves messages of a pool in their pool', async () => {
    const batch = await send();
    const pool = await putIntoPool(batch);
    await replace();
    expect(await stored(batch)).toMatchObject({ device: next, pool });
  });

  it('fails what the other phone cannot decrypt, as for a deleted phone', async () => {
    const encrypting = await client.newDevice({ supportsEncryption: true });
    const batch = await client.send([NUMBER], {
      deviceId: encrypting,
      encrypted: true,
      message: undefined,
      encryptedMessage: 'A'.repeat(44),
    });
    expect(progressOf(await replace(encrypting))).toEqual(DONE);
    await dispatch(batch);
    expect(await stored(batch)).toMatchObject({ status: 'failed', errorCode: 'DEVICE_DELETED' });
    expect(transport.pushed).toEqual([]);
  });

  describe('at the same time as a worker', () => {
    it('makes unknown what was being pushed, and the worker pushes nothing else', async () => {
      const [pushing, other] = [await send(), await send()];
      transport.resultOf = async () => {
        await replace();
        return { outcome: 'accepted' };
      };
      await dispatch(pushing);
      transport.resultOf = () => ({ outcome: 'accepted' });
      expect(await stored(other)).toMatchObject({ device: next, status: 'pending' });
      service.clock.advance(MINUTE + 1);
      await sweep();
      expect(await stored(pushing)).toMatchObject({ device: old, status: 'unknown' });
      await dispatch(other);
      expect(transport.devices).toEqual([old, next]);
    });

    it.each<[string, string, () => PausedCall]>([
      ['claims', 'without a pool', () => pauseNextCall(service, PushClaimsRepository, 'claim')],
      ['holds', 'without a pool', () => pauseNextCall(service, WaitingMessagesRepository, 'hold')],
      ['fails', 'without a pool', () => pauseNextCall(service, WaitingMessagesRepository, 'fail')],
      ['claims', 'of a deleted pool', () => pauseNextCall(service, PushClaimsRepository, 'claim')],
      ['holds', 'of a deleted pool', () => pauseNextCall(service, WaitingMessagesRepository, 'hold')],
      ['fails', 'of a deleted pool', () => pauseNextCall(service, WaitingMessagesRepository, 'fail')],
    ])('moves what it %s just before it does, %s', async (what, where, pause) => {
      const batch = await send();
      if (where === 'of a deleted pool') await putIntoPool(batch);
      if (what === 'holds') {
        await client.patch(`/gateway/devices/${old}`, { simInfo: { sims: [{ subscriptionId: 1 }] } });
        const sims = (await client.get('/gateway/sims')).body as { data: { _id: string; device: string }[] };
        const sim = sims.data.find(({ device }) => device === old);
        await client.patch(`/gateway/sims/${sim?._id}`, { enabled: false });
      }
      if (what === 'fails') await client.patch(`/gateway/devices/${old}`, { enabled: false });
      const paused = pause();
      const dispatching = dispatch(batch);
      await paused.reached;
      await replace();
      paused.release(false);
      await dispatching;
      const moved = await stored(batch);
      expect(moved).toMatchObject({ device: next, status: 'pending' });
      expect(moved).not.toHaveProperty('waitingFor');
      expect(transport.pushed).toEqual([]);
      await dispatch(batch);
      expect(transport.devices).toEqual([next]);
    });

    type Stored = Awaited<ReturnType<typeof stored>>;
    const claimOf = (read: Stored): MessageClaim => ({
      id: read._id,
      user: client.user,
      device: new Types.ObjectId(read.device),
      dispatchAttempts: 0,
      movedFrom: read.movedFrom as MessageClaim['movedFrom'],
    });

    it.each<[string, (messages: readonly MessageClaim[], now: Date) => Promise<ReadonlySet<string>>]>([
      ['push', (messages, now) => service.get(PushClaimsRepository).claim(messages, now, now)],
      ['offer', async (messages, now) => (await service.get(OfferClaimsRepository).claim(messages, now)).ids],
    ])('claims a message for a %s only as it was read after its move', async (_, claim) => {
      const batch = await send();
      const before = await stored(batch);
      await replace();
      const after = await stored(batch);
      const now = service.clock.now();
      const claimed = await Promise.all([claim([claimOf(before)], now), claim([claimOf(after)], now)]);
      expect(claimed).toEqual([new Set(), new Set([String(after._id)])]);

      const pooled = await send({ deviceId: next });
      await putIntoPool(pooled);
      const inPool = await stored(pooled);
      const [last, other] = [await client.newDevice(), await client.newDevice()];
      await replace(next, last);
      const moved = await stored(pooled);
      // Routed to a phone at which it has never been.
      const routed = (read: Stored): MessageClaim[] => [
        { ...claimOf(read), device: new Types.ObjectId(other), route: {} },
      ];
      expect(await claim(routed(inPool), now)).toEqual(new Set());
      expect(await stored(pooled)).toMatchObject({ device: last });
      expect(await claim(routed(moved), now)).toEqual(new Set([String(moved._id)]));
      expect(await stored(pooled)).toMatchObject({ device: other });
    });

    it('does not fail what another worker has offered to a phone of its pool meanwhile', async () => {
      const batch = await send();
      await putIntoPool(batch);
      await client.patch(`/gateway/devices/${old}`, { enabled: false });
      const paused = pauseNextCall(service, WaitingMessagesRepository, 'fail');
      const dispatching = dispatch(batch);
      await paused.reached;
      const offered = { ...claimOf(await stored(batch)), device: new Types.ObjectId(next), route: {} };
      const { ids } = await service.get(OfferClaimsRepository).claim([offered], service.clock.now());
      expect(ids).toEqual(new Set([String(offered.id)]));
      paused.release(false);
      await dispatching;
      expect(await stored(batch)).toMatchObject({ device: next, status: 'pending' });
    });

    it('moves what a worker finds at the old phone before the move reached it', async () => {
      const batch = await send();
      const { died } = crashAtCall(MessageMovesRepository, 'listWaiting')(service, 'before');
      expect((await replace()).status).toBe(500);
      await died;
      expect(await stored(batch)).toMatchObject({ device: old, status: 'pending' });
      await dispatch(batch);
      expect(await stored(batch)).toMatchObject({ device: next, status: 'pending' });
      await dispatch(batch);
      expect(transport.devices).toEqual([next]);
    });
  });

  it('takes a late report of the old phone as the truth about what it had, and about nothing else', async () => {
    const [had, never] = [await send(), await send()];
    await dispatch(had);
    await replace();
    const [hadId, neverId] = [String((await stored(had))._id), String((await stored(never))._id)];
    expect((await client.report(old, hadId, 'SENT')).status).toBe(200);
    expect(await stored(had)).toMatchObject({ status: 'sent' });
    expect((await client.report(old, neverId, 'SENT')).status).toBe(404);
    expect(await stored(never)).toMatchObject({ device: next, status: 'pending' });
  });

  it.each([
    ['before', 'markDeleted'],
    ['after', 'markDeleted'],
  ] as const)('continues when it is repeated after a crash %s the phone was marked', async (when, method) => {
    const [handedOver, waits] = [await send(), await send()];
    await dispatch(handedOver);
    crashAtCall(DevicesRepository, method)(service, when);
    expect((await replace()).status).toBe(500);
    expect(progressOf(await replace())).toEqual({ movedCount: 1, unconfirmedCount: 1, isComplete: true });
    expect(await stored(waits)).toMatchObject({ device: next });
  });

  it('is finished by the scheduler if its process dies in between', async () => {
    const [handedOver, waits] = [await send(), await send()];
    await dispatch(handedOver);
    crashAtCall(MessageMovesRepository, 'listWaiting')(service, 'before');
    expect((await replace()).status).toBe(500);
    await sweep();
    expect(await stored(handedOver)).toMatchObject({ status: 'unknown' });
    expect(await stored(waits)).toMatchObject({ device: next, status: 'pending' });
    for (let minutes = 0; minutes < 4; minutes += 1) {
      service.clock.advance(MINUTE + 1);
      await sweep();
    }
    expect(await service.collection('devices').countDocuments({ withdrawDueAt: { $exists: true } })).toBe(0);
  });

  it('is made once: the first of two replacements wins, and messages follow a replaced replacement', async () => {
    const third = await client.newDevice();
    const batch = await send();
    const answers = await Promise.all([replace(old, next), replace(old, third)]);
    const winner = answers[0].status === 200 ? next : third;
    expect(answers.map(codeOf).sort()).toEqual([
      [200, undefined],
      [400, 'DEVICE_REPLACED'],
    ]);
    expect(await stored(batch)).toMatchObject({ device: winner });
    const loser = winner === next ? third : next;
    await replace(winner, loser);
    expect(await stored(batch)).toMatchObject({ device: loser, status: 'pending' });
    // Found late at the first phone, it goes to the last.
    const _id = (await stored(batch))._id;
    await service.collection('messages').updateOne({ _id }, { $set: { device: new Types.ObjectId(old) } });
    await dispatch(batch);
    expect(await stored(batch)).toMatchObject({ device: loser, status: 'pending' });
  });

  it('keeps what a worker moves of a pool that was deleted', async () => {
    const batch = await send();
    await putIntoPool(batch);
    const { died } = crashAtCall(MessageMovesRepository, 'listWaiting')(service, 'before');
    expect((await replace()).status).toBe(500);
    await died;
    await dispatch(batch);
    expect(await stored(batch)).toMatchObject({ device: next, status: 'pending' });
    await dispatch(batch);
    expect(await stored(batch)).toMatchObject({ device: next, status: 'dispatched' });
  });

  it('fails what waits if two phones replace each other at once, and both are gone', async () => {
    const batch = await send();
    const hold = pauseNextCall(service, DevicesRepository, 'markDeleted');
    const first = replace(old, next).then(codeOf);
    await hold.reached;
    expect((await replace(next, old)).status).toBe(200);
    hold.release(false);
    expect(await first).toEqual([200, undefined]);
    await dispatch(batch);
    expect(await stored(batch)).toMatchObject({ status: 'failed', errorCode: 'DEVICE_DELETED' });
  });

  it('refuses a phone that cannot take its place, and names the field', async () => {
    const foreign = await (await service.newAccount()).newDevice();
    const deleted = await client.newDevice();
    await client.delete(`/gateway/devices/${deleted}`);
    const disabled = await client.newDevice();
    await client.patch(`/gateway/devices/${disabled}`, { enabled: false });
    const draining = await client.newDevice();
    await client.post(`/gateway/devices/${draining}/drain`);
    const unknown = new Types.ObjectId().toHexString();
    const cases: [string, unknown, number, string][] = [
      [old, foreign, 404, 'TARGET_DEVICE_NOT_FOUND'],
      [old, deleted, 404, 'TARGET_DEVICE_NOT_FOUND'],
      [old, unknown, 404, 'TARGET_DEVICE_NOT_FOUND'],
      [old, disabled, 400, 'DEVICE_DISABLED'],
      [old, draining, 400, 'DEVICE_DRAINING'],
      [old, old, 400, 'VALIDATION_FAILED'],
      [old, 'x', 400, 'VALIDATION_FAILED'],
      [old, null, 400, 'VALIDATION_FAILED'],
      [foreign, next, 404, 'DEVICE_NOT_FOUND'],
      [deleted, next, 404, 'DEVICE_NOT_FOUND'],
      [unknown, next, 404, 'DEVICE_NOT_FOUND'],
    ];
    for (const [id, deviceId, status, code] of cases) {
      const answer = await replace(id, deviceId);
      expect([id, deviceId, ...codeOf(answer)]).toEqual([id, deviceId, status, code]);
      if (status === 400 && code === 'VALIDATION_FAILED')
        expect((answer.body as { message: string }).message).toContain('deviceId');
    }
    const kept = await service.collection('devices').findOne({ _id: new Types.ObjectId(old) });
    expect(kept).not.toHaveProperty('deletedAt');
  });

  it('is for the owner: the key of a phone is refused', async () => {
    const person = await service.signIn(client);
    const key = await person.post('/auth/api-keys', { kind: 'phone' });
    const phone = new TestClient(service.url, (key.body as { data: string }).data, client.user);
    const own = await phone.registerDevice();
    const body = { deviceId: next };
    const refused = await phone.post(`/gateway/devices/${own}/replace`, body);
    expect(codeOf(refused)).toEqual([401, 'AUTH_INVALID']);
    expect((await person.post(`/gateway/devices/${own}/replace`, body)).status).toBe(200);
    expect((await phone.post(`/gateway/devices/${own}/heartbeat`)).status).toBe(401);
  });
});
