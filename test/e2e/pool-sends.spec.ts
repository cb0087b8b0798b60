import { Types } from 'mongoose';
import { numberedSims, VirtualPhone } from 'messaging-gateway-phone';
import { accountScope } from '../../src/auth/account-scope';
import type { Device } from '../../src/devices/store/device.schema';
import { SimsRepository } from '../../src/devices/sims/sims.repository';
import { BatchRecoveryScheduler } from '../../src/gateway/batch-recovery.scheduler';
import { SendRollbackService } from '../../src/gateway/sends/acceptance/send-rollback.service';
import type { Batch } from '../../src/messages/batch.schema';
import { BatchesRepository } from '../../src/messages/batches.repository';
import type { Message } from '../../src/messages/message.schema';
import { MessagesRepository } from '../../src/messages/messages.repository';
import type { MessageJson, TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { FakeFcm } from '../support/fake-fcm';
import { newPool } from '../support/new-pool';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const HOUR = 3_600_000;
const numbers = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `+4915${String(first + index).padStart(8, '0')}`);
const twoSims = (fields: object = {}) => ({
  simInfo: {
    sims: [
      { subscriptionId: 1, simSlotIndex: 0, ...fields },
      { subscriptionId: 2, simSlotIndex: 1, ...fields },
    ],
  },
});

interface SimJson {
  readonly _id: string;
  readonly device: string;
  readonly subscriptionId?: number;
}

interface EstimateJson {
  readonly estimatedCompletionAt?: string;
  readonly sims: { sim: string; messages: number; until: string }[];
  readonly heldBack: { reason: string; count: number; until?: string }[];
}

async function simsOf(client: TestClient): Promise<SimJson[]> {
  return ((await client.get('/gateway/sims')).body as { data: SimJson[] }).data;
}

describe('sends to a pool', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let phones: [string, string];
  let sims: SimJson[];
  let pool: string;

  // No worker and no timer runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    service.stopTimers();
    service.clock.stop();
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    client = await service.newAccount();
    const unpaced = { ...twoSims(), partsPerMinute: null };
    phones = [await client.newDevice(unpaced), await client.newDevice(unpaced)];
    sims = await simsOf(client);
    pool = await newPool(
      service,
      client,
      sims.map(({ _id }) => _id),
    );
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => service.stop());

  const messagesOf = (batch: string): Promise<Message[]> =>
    service
      .get(MessagesRepository)
      .listByBatch(accountScope(client.user), new Types.ObjectId(batch), undefined, 10_000);
  const batchOf = async (id: string) =>
    (await service.collection('batches').findOne({ _id: new Types.ObjectId(id) })) as unknown as Batch;
  const dispatch = async (batch: string) => {
    const { groups } = await batchOf(batch);
    for (const { firstWave, waves } of groups)
      for (let wave = firstWave; wave < firstWave + waves; wave++) await dispatchWave(service, batch, wave);
  };
  const send = (body: object = {}) =>
    client.post('/gateway/send-sms', { message: 'Hello', recipients: numbers(2), poolId: pool, ...body });
  const estimate = async (body: object = {}) =>
    (
      (
        await client
          .post('/gateway/estimates', { message: 'Hello', recipients: numbers(2), ...body })
          .expect(200)
      ).body as { data: EstimateJson }
    ).data;
  const storedBatches = () => service.collection('batches').countDocuments({ user: client.user });
  const limit = (sim: string, limits: object) => client.patch(`/gateway/sims/${sim}`, { limits }).expect(200);
  const countBy = (messages: readonly Message[], key: (message: Message) => unknown) => {
    const counts = new Map<string, number>();
    for (const message of messages) {
      const value = String(key(message));
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return counts;
  };
  const freeAtOfPhones = async () => {
    const found = await service.collection('devices').find({ user: client.user }).toArray();
    return (found as unknown as Device[]).map(({ dispatchFreeAt }) =>
      Math.max(0, (dispatchFreeAt?.getTime() ?? 0) - service.clock.now().getTime()),
    );
  };

  it.each([80, 120])('name the phone of each message in a batch of %i', async (count) => {
    const batch = await client.send(numbers(count), { poolId: pool });
    const stored = new Map((await messagesOf(batch)).map(({ _id, device }) => [String(_id), String(device)]));
    expect(new Set(stored.values())).toEqual(new Set(phones));
    for (const phone of phones) {
      const { messages } = await client.batch(phone, batch);
      const shown = messages.map(({ _id, device }) => [_id, (device as { _id: string })._id] as const);
      expect(new Map(shown)).toEqual(stored);
    }
  });

  it('bind each message to a SIM, and are found under both phones', async () => {
    const batch = await client.send(numbers(80), { poolId: pool });
    const messages = await messagesOf(batch);
    const bySim = countBy(messages, ({ sim }) => sim);
    expect([...bySim.keys()].sort()).toEqual(sims.map(({ _id }) => _id).sort());
    for (const message of messages) {
      const sim = sims.find(({ _id }) => message.sim?.equals(_id));
      expect(message.device.toHexString()).toBe(sim?.device);
      expect(message.simSubscriptionId).toBe(sim?.subscriptionId);
      expect(message).toMatchObject({ isSimChosen: true, choice: { reason: 'spread' } });
      expect(message.pool?.toHexString()).toBe(pool);
    }
    const byPhone = countBy(messages, ({ device }) => device);
    const stored = await batchOf(batch);
    expect(stored.pool?.toHexString()).toBe(pool);
    expect(stored.devices?.map(String).sort()).toEqual([...phones].sort());
    const most = Math.max(...byPhone.values());
    expect(byPhone.get(stored.device.toHexString())).toBe(most);
    for (const phone of phones) expect((await client.batch(phone, batch)).messages.length).toBe(80);
    const other = await client.newDevice();
    await client.get(`/gateway/devices/${other}/sms-batch/${batch}`).expect(404);
    await dispatch(batch);
    expect(countBy(await messagesOf(batch), ({ status }) => status)).toEqual(new Map([['dispatched', 80]]));
  });

  it('keep the SIM that a recipient last heard from', async () => {
    const first = await client.send(numbers(20), { poolId: pool });
    await newPool(service, client, []); // another one changes nothing
    const before = new Map((await messagesOf(first)).map(({ recipient, sim }) => [recipient, String(sim)]));
    const taken = [...new Set(before.values())];
    const [removed = ''] = taken;
    // The hash of the others changes with the pool.
    await client.patch(`/gateway/sims/${removed}`, { enabled: false });
    const batch = await client.send(numbers(20), { poolId: pool });
    for (const { recipient, sim, choice } of await messagesOf(batch)) {
      if (before.get(recipient) === removed) expect(String(sim)).not.toBe(removed);
      else {
        expect(String(sim)).toBe(before.get(recipient));
        expect(choice?.reason).toBe('sticky');
      }
    }
  });

  it('exceed no cap: the rest goes to others, and what exceeds all waits for the SIM that is free first', async () => {
    // In the last hour of a day, two of the limits would end at the same time.
    if (service.clock.now().getUTCHours() === 23) service.clock.advance(HOUR);
    const [monthly = '', hourly = '', daily = ''] = sims.map(({ _id }) => _id);
    await limit(monthly, { messagesPerMonth: 5 });
    await limit(hourly, { messagesPerHour: 7 });
    await limit(daily, { messagesPerDay: 9 });
    const capped = await newPool(service, client, [monthly, hourly, daily]);
    expect(await estimate({ recipients: numbers(31), poolId: capped })).toMatchObject({
      heldBack: [{ reason: 'messages_per_hour', count: 10 }],
    });
    const batch = await client.send(numbers(31), { poolId: capped });
    const messages = await messagesOf(batch);
    expect(countBy(messages, ({ sim }) => sim)).toEqual(
      new Map(
        [
          [monthly, 5],
          [hourly, 17],
          [daily, 9],
        ].sort() as [string, number][],
      ),
    );
    expect(messages.filter(({ choice }) => !choice).length).toBe(10);
    await dispatch(batch);
    const after = await messagesOf(batch);
    const waiting = after.filter(({ status }) => status === 'pending');
    expect(waiting.length).toBe(10);
    // Whichever message a SIM took first: all others wait for the SIM that is free first.
    for (const { waitingFor } of waiting) expect(waitingFor?.reason).toBe('messages_per_hour');
    expect(
      countBy(
        after.filter(({ status }) => status === 'dispatched'),
        ({ sim }) => sim,
      ),
    ).toEqual(
      new Map(
        [
          [monthly, 5],
          [hourly, 7],
          [daily, 9],
        ].sort() as [string, number][],
      ),
    );
  });

  it('plan each lane for itself: a SIM with a pace of its own, and the others of its phone', async () => {
    const [own, ...others] = sims.filter(({ device }) => device === phones[0]);
    if (!own || !others[0]) throw new Error('There are no SIMs');
    await limit(own._id, { partsPerMinute: 600 });
    await client.patch(`/gateway/devices/${phones[0]}`, { partsPerMinute: 60 });
    await service
      .collection('devices')
      .updateOne({ _id: new Types.ObjectId(phones[0]) }, { $set: { smsSendDelaySeconds: 0 } });
    const lanes = await newPool(service, client, [own._id, others[0]._id], { strategy: 'round-robin' });
    const estimated = await estimate({ recipients: numbers(240), poolId: lanes });
    const answer = await send({ recipients: numbers(240), poolId: lanes }).expect(200);
    const { data } = answer.body as { data: { smsBatchId: string; estimatedCompletionAt: string } };
    const now = service.clock.now().getTime();
    const { groups } = await batchOf(data.smsBatchId);
    expect(groups.map(({ sim, count, durationMs }) => [String(sim), count, durationMs])).toEqual(
      expect.arrayContaining([
        [own._id, 120, 12_000],
        ['undefined', 120, 120_000],
      ]),
    );
    expect(Date.parse(data.estimatedCompletionAt)).toBe(now + 120_000);
    expect(estimated.estimatedCompletionAt).toBe(data.estimatedCompletionAt);
    expect(estimated.sims.map(({ messages, until }) => [messages, Date.parse(until) - now]).sort()).toEqual([
      [120, 12_000],
      [120, 120_000],
    ]);
    // The next one follows on both lanes.
    const next = await client.send(numbers(240), { poolId: lanes });
    const starts = (await batchOf(next)).groups.map(({ startAt }) => (startAt?.getTime() ?? 0) - now);
    expect(starts.sort((a, b) => a - b)).toEqual([12_000, 120_000]);
    // Both slots are released with its messages.
    const device = phones[0];
    await client.post(`/gateway/devices/${device}/sms-batch/${next}/cancel`).expect(200);
    const third = await batchOf(await client.send(numbers(240), { poolId: lanes }));
    expect(third.groups.map(({ startAt }) => (startAt?.getTime() ?? 0) - now).sort((a, b) => a - b)).toEqual([
      12_000, 120_000,
    ]);
    expect((await service.collection('pools').findOne({ _id: new Types.ObjectId(lanes) }))?.turn).toBe(720);
  });

  it('are cancelled as a whole by any of their phones', async () => {
    const batch = await client.send(numbers(40), { poolId: pool });
    const path = (device: string) => `/gateway/devices/${device}/sms-batch/${batch}/cancel`;
    await client.post(path(await client.newDevice())).expect(404);
    const stored = await batchOf(batch);
    const [second = ''] = stored.devices?.slice(1).map(String) ?? [];
    const answer = await client.post(path(second)).expect(200);
    expect(answer.body).toMatchObject({ data: { cancelledCount: 40, requestedCount: 0 } });
    expect(countBy(await messagesOf(batch), ({ errorCode }) => errorCode)).toEqual(
      new Map([['CANCELLED', 40]]),
    );
    expect((await batchOf(batch)).cancelledCount).toBe(40);
  });

  it('ask each phone to cancel its own messages', async () => {
    for (const phone of phones) await client.patch(`/gateway/devices/${phone}`, { supportsCancel: true });
    const batch = await client.send(numbers(40), { poolId: pool });
    await dispatch(batch);
    transport.cancelled.length = 0;
    const answer = await client.post(`/gateway/devices/${phones[0]}/sms-batch/${batch}/cancel`).expect(200);
    expect(answer.body).toMatchObject({ data: { cancelledCount: 0, requestedCount: 40 } });
    const messages = await messagesOf(batch);
    const ofPhones = phones.map((phone) =>
      messages.filter(({ device }) => device.equals(phone)).map(({ _id }) => _id.toHexString()),
    );
    expect(transport.cancelled.map((ids) => [...ids].sort()).sort()).toEqual(
      ofPhones.map((ids) => ids.sort()).sort(),
    );
    for (const [index, phone] of phones.entries())
      await client
        .post(`/gateway/devices/${phone}/messages/cancelled`, { smsIds: ofPhones[index] })
        .expect(({ status }) => {
          expect(status).toBeLessThan(300);
        });
    expect((await batchOf(batch)).cancelledCount).toBe(40);
  });

  it('stay under the other phones when one is deleted with its messages', async () => {
    const batch = await client.send(numbers(40), { poolId: pool });
    await dispatch(batch);
    const messages = await messagesOf(batch);
    for (const { _id, device } of messages)
      await client.report(device.toHexString(), _id.toHexString(), 'SENT');
    const kept = messages.filter(({ device }) => device.equals(phones[1])).length;
    await client.delete(`/gateway/devices/${phones[0]}?deleteMessages=true`).expect(200);
    const { batch: shown, messages: left } = await client.batch(phones[1], batch);
    expect(shown._id).toBe(batch);
    expect(left.length).toBe(kept);
    await client.delete(`/gateway/devices/${phones[1]}?deleteMessages=true`).expect(200);
    expect((await batchOf(batch)).hiddenAt).toBeInstanceOf(Date);
  });

  it('reserve the time of a scheduled one on each lane when it is due', async () => {
    const scheduledAt = new Date(service.clock.now().getTime() + HOUR);
    const batch = await client.send(numbers(300), { poolId: pool, scheduledAt: scheduledAt.toISOString() });
    const planned = (await batchOf(batch)).groups;
    expect(planned.map(({ device }) => String(device)).sort()).toEqual([...phones].sort());
    expect(planned.every((group) => !group.planned && group.scheduledAt && !group.startAt)).toBe(true);
    expect(await freeAtOfPhones()).toEqual([0, 0]);
    service.clock.advance(HOUR);
    for (const { firstWave } of planned) await dispatchWave(service, batch, firstWave);
    const groups = (await batchOf(batch)).groups;
    expect(groups.every((group) => group.planned && group.startAt?.getTime() === scheduledAt.getTime())).toBe(
      true,
    );
    const durations = groups.map(({ durationMs }) => durationMs);
    expect((await freeAtOfPhones()).sort()).toEqual([...durations].sort());
    for (const { device, wave, dispatchDueAt, waveOffsetMs = 0 } of await messagesOf(batch)) {
      const group = groups.find((each) => each.device?.equals(device));
      expect(wave).toBeGreaterThanOrEqual(group?.firstWave ?? Infinity);
      expect(dispatchDueAt?.getTime()).toBe(scheduledAt.getTime() + waveOffsetMs);
    }
  });

  it('are sent once per idempotency key, which includes the pool', async () => {
    const call = (body: object = {}) => send(body).set('Idempotency-Key', 'k');
    const first = await call().expect(200);
    const again = await call().expect(200);
    expect(again.body).toEqual(first.body);
    expect(again.headers['idempotency-replayed']).toBe('true');
    const other = await newPool(service, client, [sims[0]?._id ?? '']);
    await call({ poolId: other }).expect(400);
    expect(await storedBatches()).toBe(1);
  });

  it.each(['recordGroups', 'accept'] as const)(
    'release the time of each lane if the process dies in %s',
    async (method) => {
      await limit(sims[0]?._id ?? '', { partsPerMinute: 60 });
      const repository = service.get(BatchesRepository);
      const recordGroups = repository.recordGroups.bind(repository);
      const die = () => Promise.reject(new Error('kill -9'));
      if (method === 'accept') jest.spyOn(repository, 'accept').mockImplementation(die);
      else
        jest.spyOn(repository, 'recordGroups').mockImplementation(async (...args) => {
          await recordGroups(...args);
          return die();
        });
      // A dead process does not roll back.
      jest.spyOn(service.get(SendRollbackService), 'abandon').mockRejectedValue(new Error('kill -9'));
      await send({ recipients: numbers(600) }).expect(500);
      jest.restoreAllMocks();
      const ofSim = async () => {
        const found = await service
          .get(SimsRepository)
          .find(accountScope(client.user), new Types.ObjectId(sims[0]?._id));
        return Math.max(0, (found?.dispatchFreeAt?.getTime() ?? 0) - service.clock.now().getTime());
      };
      expect([...(await freeAtOfPhones()), await ofSim()].every((reserved) => reserved > 0)).toBe(true);
      service.clock.advance(16_000);
      await service.get(BatchRecoveryScheduler).sweep();
      expect([...(await freeAtOfPhones()), await ofSim()]).toEqual([0, 0, 0]);
      expect(await storedBatches()).toBe(0);
      expect(await service.collection('messages').countDocuments({ user: client.user })).toBe(0);
    },
  );

  it('are forecast for the time that they are scheduled', async () => {
    const scheduledAt = new Date(service.clock.now().getTime() + 86_400_000).toISOString();
    const body = { message: 'Hello', recipients: numbers(3), poolId: pool, scheduledAt };
    const { data } = (await client.post('/gateway/estimates', body)).body as {
      data: { sims: { until: string }[] };
    };
    expect(data.sims.length).toBeGreaterThan(0);
    // The phone waits five seconds after each message.
    const latest = Date.parse(scheduledAt) + 15_000;
    for (const until of data.sims.map((sim) => Date.parse(sim.until))) {
      expect(until).toBeGreaterThanOrEqual(Date.parse(scheduledAt));
      expect(until).toBeLessThanOrEqual(latest);
    }
  });

  describe('are refused', () => {
    const refusal = async (status: number, body: object) => {
      const answer = await send(body);
      expect(answer.status).toBe(status);
      expect(
        (
          await client.post('/gateway/estimates', {
            message: 'x',
            recipients: numbers(1),
            poolId: pool,
            ...body,
          })
        ).status,
      ).toBe(status);
      expect(await storedBatches()).toBe(0);
      return answer.body as { code: string; details?: { field: string }[] };
    };

    it('naming the field', async () => {
      const fields = async (body: object) => (await refusal(400, body)).details?.map(({ field }) => field);
      expect(await fields({ poolId: 'x' })).toEqual(['poolId']);
      expect(await fields({ deviceId: phones[0] })).toEqual(['poolId']);
      expect(await fields({ simSubscriptionId: 1 })).toEqual(['simSubscriptionId']);
      const entries = [{ message: 'Hello', recipients: numbers(1) }];
      const bulk = (body: object) => client.post('/gateway/send-bulk-sms', { messages: entries, ...body });
      await bulk({ poolId: pool }).expect(200);
      expect((await bulk({ poolId: pool, deviceId: phones[0] })).body).toMatchObject({
        details: [{ field: 'poolId' }],
      });
      const ofDevice = await client.post(`/gateway/devices/${phones[0]}/send-sms`, {
        message: 'Hello',
        recipients: numbers(1),
        poolId: pool,
      });
      expect(ofDevice.body).toMatchObject({ details: [{ field: 'poolId' }] });
    });

    it('by pools that do not exist, or that no SIM could ever send for', async () => {
      expect((await refusal(404, { poolId: new Types.ObjectId().toHexString() })).code).toBe(
        'POOL_NOT_FOUND',
      );
      const stranger = await service.newAccount();
      const foreign = await newPool(service, stranger, []);
      expect((await refusal(404, { poolId: foreign })).code).toBe('POOL_NOT_FOUND');
      const empty = await newPool(service, client, []);
      expect((await refusal(400, { poolId: empty })).code).toBe('NO_ENABLED_SIM');
      const [sim] = sims;
      const single = await newPool(service, client, [sim?._id ?? '']);
      await client.patch(`/gateway/sims/${sim?._id}`, { enabled: false });
      expect((await refusal(400, { poolId: single })).code).toBe('NO_ENABLED_SIM');
      await client.patch(`/gateway/sims/${sim?._id}`, { enabled: true });
      await client.patch(`/gateway/devices/${sim?.device}`, { enabled: false });
      expect((await refusal(400, { poolId: single })).code).toBe('NO_ENABLED_SIM');
    });

    it('for recipients that no SIM may send to', async () => {
      const [british] = sims;
      await client.patch(`/gateway/sims/${british?._id}`, { enabled: false });
      const ruled = await newPool(
        service,
        client,
        sims.map(({ _id }) => _id),
        { countries: { '+44': [new Types.ObjectId(british?._id)] } },
      );
      const { details } = await refusal(400, {
        poolId: ruled,
        recipients: ['+491511234567', '+447700900123'],
      });
      expect(details?.map(({ field }) => field)).toEqual(['recipients.1']);
    });

    it('if no phone of the pool decrypts; else only those that do send', async () => {
      const secret = { message: undefined, encrypted: true, encryptedMessage: 'x'.repeat(20) };
      expect((await refusal(400, secret)).details?.map(({ field }) => field)).toEqual(['encrypted']);
      await client.patch(`/gateway/devices/${phones[1]}`, { supportsEncryption: true });
      const answer = await send({ ...secret, recipients: numbers(20) }).expect(200);
      const { smsBatchId } = (answer.body as { data: { smsBatchId: string } }).data;
      const devices = countBy(await messagesOf(smsBatchId), ({ device }) => device);
      expect([...devices]).toEqual([[phones[1], 20]]);
    });
  });

  it('go to the default pool if neither a device nor a SIM is named', async () => {
    const setDefault = (defaultPool: string) =>
      service
        .collection('accounts')
        .updateOne({ _id: client.user }, { $set: { defaultPool: new Types.ObjectId(defaultPool) } });
    const poolOf = async (body: object) => String((await batchOf(await client.send(numbers(1), body))).pool);
    expect(await poolOf({})).toBe('undefined');
    await setDefault(pool);
    expect(await poolOf({})).toBe(pool);
    expect(await poolOf({ simSubscriptionId: 0 })).toBe(pool);
    expect(await poolOf({ deviceId: phones[0] })).toBe('undefined');
    expect(await poolOf({ simSubscriptionId: 1 })).toBe('undefined');
    await setDefault(new Types.ObjectId().toHexString()); // deleted meanwhile
    expect(await poolOf({})).toBe('undefined');
  });

  it('read local numbers in the country of the SIM', async () => {
    const british = await client.newDevice(twoSims({ countryIso: 'gb' }));
    const ofBritish = (await simsOf(client)).filter(({ device }) => device === british);
    const local = await newPool(
      service,
      client,
      ofBritish.map(({ _id }) => _id),
    );
    const [first] = await messagesOf(await client.send(['07700900123'], { poolId: local }));
    expect(first?.peerNumber).toBe('+447700900123');
    const [second] = await messagesOf(await client.send(['+447700900123'], { poolId: local }));
    expect(second?.choice?.reason).toBe('sticky');
    expect(String(second?.sim)).toBe(String(first?.sim));
    const simulate = async (id: string) =>
      (await client.post(`/gateway/pools/${id}/simulate`, { recipient: '07700900123' }).expect(200)).body as {
        data: { sim?: string; reason: string };
      };
    expect(await simulate(local)).toMatchObject({ data: { sim: String(first?.sim), reason: 'sticky' } });
    // One country for all SIMs of a pool, whichever sends.
    const german = await client.newDevice(twoSims({ countryIso: 'de' }));
    const [ofGerman] = (await simsOf(client)).filter(({ device }) => device === german);
    const mixed = await newPool(service, client, [ofBritish[0]?._id ?? '', ofGerman?._id ?? ''], {
      countries: { '+44': [new Types.ObjectId(ofGerman?._id)] },
    });
    expect(await simulate(mixed)).toMatchObject({ data: { sim: ofGerman?._id } });
    const [third] = await messagesOf(await client.send(['07700900123'], { poolId: mixed }));
    expect(third?.peerNumber).toBe('+447700900123');
    expect(String(third?.sim)).toBe(ofGerman?._id);
  });

  it('tell what limits hold back, also without a pool', async () => {
    const [sim] = sims.filter(({ device }) => device === phones[0]);
    await limit(sim?._id ?? '', { messagesPerDay: 3 });
    const body = { recipients: numbers(5), deviceId: phones[0], simSubscriptionId: sim?.subscriptionId };
    const { sims: shares, heldBack } = await estimate(body);
    expect(shares).toEqual([{ sim: sim?._id, messages: 5, until: heldBack[0]?.until }]);
    expect(heldBack).toEqual([
      { reason: 'messages_per_day', count: 2, until: expect.stringMatching(/T00:00:00.000Z$/) as string },
    ]);
    expect(await storedBatches()).toBe(0);
  });

  it('wait for phones that cannot be reached, and accept up to 10,000 recipients', async () => {
    const closedAt = new Date(service.clock.now().getTime() - HOUR);
    await service
      .collection('devices')
      .updateMany({ user: client.user }, { $set: { stream: { openedAt: closedAt, closedAt } } });
    expect((await estimate({ poolId: pool })).heldBack).toEqual([{ reason: 'phone_unreachable', count: 2 }]);
    const batch = await client.send(numbers(10_000), { poolId: pool });
    const messages = await messagesOf(batch);
    expect(messages.length).toBe(10_000);
    // None is preferred.
    expect([...countBy(messages, ({ sim }) => sim).values()]).toEqual([2_500, 2_500, 2_500, 2_500]);
    expect(messages.every(({ choice }) => choice === undefined)).toBe(true);
  });
});

describe('sends to a pool of virtual phones', () => {
  let fcm: FakeFcm;
  let service: TestService;
  let running: VirtualPhone[];

  beforeAll(async () => {
    fcm = await FakeFcm.start();
    service = await TestService.start({ firebase: fcm.options() });
  });
  beforeEach(() => {
    running = [];
  });
  afterEach(() => Promise.all(running.map((phone) => phone.stop())));
  afterAll(async () => {
    await service.stop();
    await fcm.stop();
  });

  it('are handed out by the SIM of each message', async () => {
    const client = await service.newAccount();
    for (const name of ['one', 'two']) {
      const phone = new VirtualPhone({
        baseUrl: service.url,
        apiKey: client.apiKey,
        sendDelaySeconds: 0,
        deliveryDelaySeconds: 0,
        seed: 1,
        serial: name,
        sims: numberedSims(2, name),
      });
      running.push(phone);
      await phone.start();
    }
    const sims = await simsOf(client);
    const pool = await newPool(
      service,
      client,
      sims.map(({ _id }) => _id),
    );
    const [first] = running;
    const batch = await client.send(numbers(40), { poolId: pool });
    const { messages } = await eventually(
      () => client.batch(sims[0]?.device ?? '', batch),
      (answer) => answer.messages.every(({ status }: MessageJson) => status === 'delivered'),
    );
    expect(messages.length).toBe(40);
    const onAir = new Map(
      running.flatMap((phone) =>
        phone.airLog.map(
          ({ smsId, simSubscriptionId }) => [smsId, `${phone.deviceId} ${simSubscriptionId}`] as const,
        ),
      ),
    );
    expect(onAir.size).toBe(40);
    for (const { _id, sim: id } of messages) {
      const sim = sims.find((each) => each._id === id);
      expect(onAir.get(_id)).toBe(`${sim?.device} ${sim?.subscriptionId}`);
    }
    expect(running.every(({ airLog }) => airLog.length > 0)).toBe(true);
    expect(first?.airLog.length).toBeLessThan(40);
  });
});
