import { Types } from 'mongoose';
import { breakerState } from '../../src/devices/sims/health/breaker';
import { SimHealthRepository } from '../../src/devices/sims/sim-health.repository';
import { RESERVATION_TIMEOUT_MS } from '../../src/devices/sims/limits/admission';
import { SimHealthService } from '../../src/devices/sims/sim-health.service';
import { WavesRepository } from '../../src/gateway/waves/waves.repository';
import { PushClaimsRepository } from '../../src/gateway/dispatch/push-claims.repository';
import { WaveDispatcher } from '../../src/gateway/dispatch/wave-dispatcher.service';
import { MessageAdmission } from '../../src/gateway/routing/message-admission.service';
import { WaitingReview } from '../../src/gateway/routing/waiting-review.service';
import type { Message } from '../../src/messages/message.schema';
import { SimOutcomeRecorder } from '../../src/messages/reports/sim-outcome-recorder.service';
import type { TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { newPool } from '../support/new-pool';
import { pauseNextCall } from '../support/pause-next-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const MINUTE = 60_000;
const numbers = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `+4915${String(first + index).padStart(8, '0')}`);

describe('the canary of an unhealthy SIM in a pool', () => {
  let service: TestService;
  let other: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  /** Phones with one SIM each. The first SIM is the unhealthy one. */
  let phones: string[];
  let sims: Types.ObjectId[];
  let pool: string;

  // No worker and no timer runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    const environment = { APP_ROLES: 'api,scheduler' };
    service = await TestService.start({ environment, transport });
    other = await TestService.start({ environment, shared: service, transport });
    for (const each of [service, other]) each.stopTimers();
    service.clock.stop();
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    transport.pushed.length = 0;
    transport.devices.length = 0;
    client = await service.newAccount();
    const simInfo = { sims: [{ subscriptionId: 7, simSlotIndex: 0 }] };
    const unpaced = { simInfo, partsPerMinute: null };
    phones = [await client.newDevice(unpaced), await client.newDevice(unpaced)];
    const { data } = (await client.get('/gateway/sims')).body as { data: { _id: string; device: string }[] };
    sims = phones.map((id) => new Types.ObjectId(data.find(({ device }) => device === id)?._id));
    pool = await newPool(service, client, sims.map(String));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const phone = (index: number) => phones[index] ?? 'missing';
  const sim = (index: number) => sims[index] ?? new Types.ObjectId();
  /** Opens the breaker of the first SIM. */
  const block = () =>
    service.get(SimHealthService).record(
      numbers(14, 900).map((peerNumber) => ({
        kind: 'failed',
        sim: sim(0),
        peerNumber,
        code: '1',
        at: service.clock.now(),
      })),
    );
  const breaker = async () => (await service.get(SimHealthRepository).find(sim(0)))?.breaker;
  const state = async () => breakerState(await breaker(), service.clock.now());
  const dispatch = async (batch: string, on = service) => {
    const waves = new Set((await messagesOf(batch)).map(({ wave = 0 }) => wave));
    for (const wave of waves) await dispatchWave(on, batch, wave);
  };
  /** What the scheduler enqueues, which no worker runs here. */
  const sweep = async () => {
    const ofClient = await service.collection('batches').find({ user: client.user }).toArray();
    const overdue = await service.get(WavesRepository).listOverdueWaves(service.clock.now(), 9_999);
    const waves = overdue.filter(({ batch }) => ofClient.some(({ _id }) => batch.equals(_id)));
    await Promise.all(waves.map((wave) => service.get(WaveDispatcher).dispatchWave(wave)));
  };
  const messagesOf = async (batch: string) =>
    (await service
      .collection('messages')
      .find({ smsBatch: new Types.ObjectId(batch) })
      .sort({ _id: 1 })
      .toArray()) as unknown as Message[];
  /** Binds the messages of a send to the first SIM, as if it had been healthy then. */
  const boundSend = async (count: number, first = 0) => {
    const batch = await client.send(numbers(count, first), { poolId: pool });
    const bound = { device: new Types.ObjectId(phone(0)), sim: sim(0), simSubscriptionId: 7 };
    await service.collection('messages').updateMany({ smsBatch: new Types.ObjectId(batch) }, { $set: bound });
    return batch;
  };
  const handedTo = () => transport.devices.map((id) => phones.indexOf(id));
  const report = async (id: string, index: number, status: string, fields: object = {}) => {
    await client.report(phone(index), id, status, fields);
    await service.get(SimOutcomeRecorder).flush();
  };

  it('is one message of a wave; the others move to healthy SIMs', async () => {
    const batch = await boundSend(5);
    await block();
    await dispatch(await boundSend(2, 50));
    expect(handedTo()).toEqual([1, 1]);
    service.clock.advance(5 * MINUTE);
    transport.devices.length = 0;
    await dispatch(batch);
    expect(handedTo().sort()).toEqual([0, 1, 1, 1, 1]);
    const { canary } = (await breaker()) ?? {};
    expect(canary).toBeDefined();
    expect((await messagesOf(batch)).every(({ status }) => status === 'dispatched')).toBe(true);
    // The next wave, while it has no result.
    transport.devices.length = 0;
    await dispatch(await boundSend(3, 60));
    expect(handedTo()).toEqual([1, 1, 1]);
  });

  it('is free again at once if its worker was too slow to hand it over', async () => {
    const batch = await boundSend(1);
    await block();
    service.clock.advance(5 * MINUTE);
    const waiting = service.get(MessageAdmission);
    const admit = waiting.admit.bind(waiting);
    jest.spyOn(waiting, 'admit').mockImplementationOnce(async (...input) => {
      const admission = await admit(...input);
      expect(admission.admitted.map(({ canary }) => canary !== undefined)).toEqual([true]);
      service.clock.advance(RESERVATION_TIMEOUT_MS);
      return admission;
    });
    await dispatch(batch);
    expect(transport.pushed).toEqual([]);
    expect((await breaker())?.canary).toBeUndefined();
    await sweep();
    expect(handedTo()).toEqual([0]);
  });

  it('goes out when it is due with nobody sending; the rest waits, and leaves when the SIM is healthy again', async () => {
    pool = await newPool(service, client, [sim(0).toHexString()]);
    await block();
    const { canaryDueAt } = (await breaker()) ?? {};
    const batch = await client.send(numbers(5), { poolId: pool });
    await dispatch(batch);
    expect(transport.pushed).toEqual([]);
    for (const { waitingFor, nextDispatchAt } of await messagesOf(batch)) {
      expect(waitingFor).toMatchObject({ reason: 'sim_unhealthy' });
      expect(nextDispatchAt?.getTime()).toBeLessThanOrEqual(canaryDueAt?.getTime() ?? 0);
    }
    expect((await messagesOf(batch))[0]?.nextDispatchAt).toEqual(canaryDueAt);

    service.clock.advance(5 * MINUTE);
    for (let canary = 0; canary < 3; canary++) {
      expect(await state()).toBe('half-open');
      await sweep();
      await sweep();
      expect(transport.pushed).toHaveLength(canary + 1);
      const waiting = (await messagesOf(batch)).filter(({ status }) => status === 'pending');
      expect(waiting.map(({ waitingFor }) => waitingFor?.reason)).toEqual(
        Array.from({ length: 4 - canary }, () => 'sim_unhealthy'),
      );
      await report(transport.pushed[canary] ?? '', 0, 'SENT');
      // The others are decided on again at once.
      await service.get(WaitingReview).reviewChanged();
    }
    expect(await state()).toBe('closed');
    await sweep();
    expect(new Set(transport.pushed).size).toBe(5);
    expect(transport.pushed).toHaveLength(5);
  });

  it('is tried again later if it fails', async () => {
    pool = await newPool(service, client, [sim(0).toHexString()]);
    await block();
    const batch = await client.send(numbers(2), { poolId: pool });
    service.clock.advance(5 * MINUTE);
    await dispatch(batch);
    await report(transport.pushed[0] ?? '', 0, 'FAILED', { errorCode: '1' });
    expect(await state()).toBe('open');
    await service.get(WaitingReview).reviewChanged();
    await sweep();
    expect(transport.pushed).toHaveLength(1);
    const [waiting] = (await messagesOf(batch)).filter(({ status }) => status === 'pending');
    expect(waiting?.waitingFor?.until?.getTime()).toBe(service.clock.now().getTime() + 10 * MINUTE);
    service.clock.advance(10 * MINUTE);
    await sweep();
    expect(transport.pushed).toHaveLength(2);
  });

  it('is one of the messages of two processes; what is refused stays due, counts for no limit, and moves', async () => {
    const limits = { messagesPerDay: 100, partsPerMinute: 60 };
    await client.patch(`/gateway/sims/${sim(0).toHexString()}`, { limits });
    const batches = [];
    for (let index = 0; index < 4; index++) batches.push(await boundSend(1, index));
    await block();
    service.clock.advance(5 * MINUTE);
    await Promise.all(batches.map((batch, index) => dispatch(batch, index % 2 === 0 ? service : other)));
    expect(handedTo().filter((index) => index === 0)).toHaveLength(1);
    const usage = await service.collection('simusages').findOne({ _id: sim(0) });
    const fullAt = service.clock.now().getTime() + 1_000;
    expect(usage).toMatchObject({ day: { count: 1 }, reservations: [], fullAt });
    await sweep();
    expect(handedTo().sort()).toEqual([0, 1, 1, 1]);
    expect(new Set(transport.pushed).size).toBe(4);
  });

  it('is not lost to a message that waits for something else', async () => {
    await client.patch(`/gateway/sims/${sim(0).toHexString()}`, { limits: { partsPerMinute: 4 } });
    await block();
    service.clock.advance(5 * MINUTE);
    // It has no part left for some seconds.
    await dispatch(await client.send(numbers(1, 70), { deviceId: phone(0) }));
    const batch = await boundSend(1);
    await dispatch(batch);
    expect((await messagesOf(batch))[0]?.waitingFor?.reason).toBe('parts_per_minute');
    expect(await breaker()).not.toHaveProperty('canary');
    service.clock.advance(MINUTE);
    await sweep();
    expect(handedTo()).toEqual([0, 0]);
    expect(await breaker()).toHaveProperty('canary');
  });

  it('is the next message at once, if the first one was cancelled before it was claimed', async () => {
    await client.patch(`/gateway/sims/${sim(0).toHexString()}`, { limits: { messagesPerDay: 1 } });
    const batches = [await boundSend(1), await boundSend(1, 1)] as const;
    await block();
    service.clock.advance(5 * MINUTE);
    const claim = pauseNextCall(service, PushClaimsRepository, 'claim');
    const dispatching = dispatch(batches[0]);
    await claim.reached;
    expect(await breaker()).toHaveProperty('canary');
    await client.post(`/gateway/batches/${batches[0]}/cancel`).expect(200);
    claim.release(false);
    await dispatching;
    expect(await breaker()).not.toHaveProperty('canary');
    await dispatch(batches[1]);
    expect(handedTo()).toEqual([0]);
    expect(await breaker()).toHaveProperty('canary');
  });

  it('is given back if the push service refuses it; those that wait are decided on again', async () => {
    pool = await newPool(service, client, [sim(0).toHexString()]);
    await block();
    const batch = await client.send(numbers(3), { poolId: pool });
    service.clock.advance(5 * MINUTE);
    transport.resultOf = () => ({ outcome: 'refused', code: 'PUSH_REFUSED', isTokenInvalid: false });
    await dispatch(batch);
    expect(transport.pushed).toHaveLength(1);
    expect(await state()).toBe('half-open');
    transport.resultOf = () => ({ outcome: 'accepted' });
    await service.get(WaitingReview).reviewChanged();
    await sweep();
    expect(new Set(transport.pushed).size).toBe(2);
    expect(await breaker()).toHaveProperty('canary');
  });

  it('is claimed by a process that dies before it claims the message: that moves', async () => {
    const batch = await boundSend(1);
    await block();
    service.clock.advance(5 * MINUTE);
    crashAtCall(SimHealthService, 'leaseCanary')(service, 'after');
    await expect(dispatch(batch)).rejects.toThrow('killed');
    expect(transport.pushed).toEqual([]);
    await dispatch(batch, other);
    expect(handedTo()).toEqual([1]);
    service.clock.advance(10 * MINUTE);
    await service.get(SimHealthService).expireDue(10);
    expect(await state()).toBe('open');
  });

  it('is also a message without a pool, or of a deleted one, which go out as ever', async () => {
    await block();
    await dispatch(await client.send(numbers(2), { deviceId: phone(0) }));
    const batch = await boundSend(2, 50);
    await client.delete(`/gateway/pools/${pool}?pending=keep`).expect(200);
    await dispatch(batch);
    expect(handedTo()).toEqual([0, 0, 0, 0]);
    expect(await state()).toBe('open');
    service.clock.advance(5 * MINUTE);
    for (const id of transport.pushed.slice(0, 3)) await report(id, 0, 'SENT');
    expect(await state()).toBe('closed');
  });

  it('costs nothing while all SIMs are healthy', async () => {
    const claim = jest.spyOn(service.get(SimHealthService), 'leaseCanary');
    await dispatch(await client.send(numbers(5), { poolId: pool }));
    expect(transport.pushed).toHaveLength(5);
    expect(claim).not.toHaveBeenCalled();
  });
});
