import { Types } from 'mongoose';
import { PUSH_TRANSPORTS } from '../../src/common/push-transports';
import { capabilitiesOf } from '../../src/devices/store/phone-capabilities';
import { SimAdmission } from '../../src/devices/sims/sim-admission.service';
import { ExpiryService } from '../../src/gateway/cancellation/expiry.service';
import { WavesRepository } from '../../src/gateway/waves/waves.repository';
import { DispatchScheduler } from '../../src/gateway/dispatch/dispatch.scheduler';
import { OfferClaimsRepository } from '../../src/gateway/dispatch/offer-claims.repository';
import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import { PushClient } from '../../src/push/push-client.service';
import type { OfferResult } from '../../src/push/transport/push-transport';
import { StreamTransport } from '../../src/push/stream/stream-transport';
import { afterLooks } from '../support/after-looks';
import type { MessageJson, TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { eventually } from '../support/eventually';
import { newPool } from '../support/new-pool';
import { pauseNextCall } from '../support/pause-next-call';
import { RawStream } from '../support/raw-stream';
import { TcpProxy } from '../support/tcp-proxy';
import { TestService } from '../support/service';

const SECOND = 1_000;
const HOUR = 3_600_000;
const RECIPIENT = '+4915112345678';
const UNREACHABLE = { reason: 'phone_unreachable' };

describe('handing messages over to streams', () => {
  let worker: TestService;
  let holder: TestService;
  let redis: TcpProxy;
  let client: TestClient;
  const streams: RawStream[] = [];

  // Two processes of one installation; the second one can lose Redis.
  beforeAll(async () => {
    const { REDIS_URL = '' } = process.env;
    redis = await TcpProxy.to(REDIS_URL);
    worker = await TestService.start();
    holder = await TestService.start({
      shared: worker,
      environment: { APP_ROLES: 'api', REDIS_URL: redis.via(REDIS_URL) },
    });
    holder.stopTimers();
  });
  beforeEach(async () => {
    client = await worker.newAccount();
  });
  afterEach(async () => {
    redis.restore();
    jest.restoreAllMocks();
    for (const stream of streams.splice(0)) stream.close();
    // Otherwise what waits for its phone is offered again during another test, and takes the one call that it intercepts.
    await worker.collection('messages').deleteMany({ user: client.user });
  });
  afterAll(async () => {
    await holder.stop();
    await worker.stop();
    await redis.close();
  });

  async function open(device: string, at: TestService): Promise<RawStream> {
    const stream = await RawStream.open(client.at(at.url), device);
    streams.push(stream);
    return stream;
  }
  /** Has the stream have been open for long, so that workers do not offer again because it was just opened. */
  const makeOld = (device: string) =>
    worker
      .collection('devices')
      .updateOne({ _id: new Types.ObjectId(device) }, [
        { $set: { 'stream.openedAt': { $subtract: ['$stream.openedAt', HOUR] } } },
      ]);
  const send = (device: string, fields: object = {}) =>
    client.send([RECIPIENT], { deviceId: device, ...fields });
  const only = async (device: string, batch: string): Promise<MessageJson> => {
    const [message] = (await client.batch(device, batch)).messages;
    if (!message) throw new Error('The batch has no message');
    return message;
  };
  const until = (device: string, batch: string, isExpected: (message: MessageJson) => boolean) =>
    eventually(() => only(device, batch), isExpected);
  const parked = (device: string, batch: string) =>
    until(device, batch, ({ waitingFor }) => waitingFor !== undefined);
  const received = (stream: RawStream, id: string) =>
    eventually(
      () => stream.receivedIds,
      (ids) => ids.includes(id),
    );
  const receivedAfterLooks = (stream: RawStream, id: string, at: TestService) =>
    afterLooks(
      [at],
      () => stream.receivedIds,
      (ids) => ids.includes(id),
    );
  const stored = (id: string) => worker.collection('messages').findOne({ _id: new Types.ObjectId(id) });
  const used = async () =>
    Number((await worker.collection('usages').findOne({ _id: client.user }))?.dayCount ?? 0);

  describe('to a phone that has no stream', () => {
    it('waits without an attempt, in no sweep, and leaves when a stream is opened at any process', async () => {
      const device = await client.registerDevice();
      const batch = await send(device);
      const message = await parked(device, batch);
      expect(message).toMatchObject({ status: 'pending', waitingFor: UNREACHABLE });
      expect(message).not.toHaveProperty('dispatchedAt');
      expect(await stored(message._id)).not.toHaveProperty('dispatchAttempts');
      const inAMinute = new Date(worker.clock.now().getTime() + 60 * SECOND);
      const dispatch = worker.get(WavesRepository);
      const waves = await dispatch.listOverdueWaves(inAMinute, 1_000);
      expect(waves.filter((wave) => wave.batch.equals(batch))).toEqual([]);

      const stream = await open(device, holder);
      await received(stream, message._id);
      const dispatched = await only(device, batch);
      expect(dispatched).toMatchObject({ status: 'dispatched', dispatchedAt: expect.any(String) as string });
      expect(dispatched).not.toHaveProperty('waitingFor');
      expect(await stored(message._id)).toMatchObject({ dispatchAttempts: 1 });
    });

    it('expires at its deadline, is given back, and never reaches the phone', async () => {
      const device = await client.registerDevice();
      const batch = await send(device, { validForSeconds: 300 });
      const { _id } = await parked(device, batch);
      expect(await used()).toBe(1);
      worker.clock.advance(300 * SECOND);
      await worker.get(ExpiryService).expireDue();
      const stream = await open(device, holder);
      expect(await until(device, batch, ({ status }) => status === 'failed')).toMatchObject({
        errorCode: 'EXPIRED',
      });
      await eventually(used, (count) => count === 0);
      const later = await send(device);
      await received(stream, (await only(device, later))._id);
      expect(stream.receivedIds).not.toContain(_id);
    });

    it('leaves at its new time if it is rescheduled before the offer is withdrawn', async () => {
      const device = await client.registerDevice();
      const claims = worker.get(OfferClaimsRepository);
      const park = claims.park.bind(claims);
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const withdrawing = jest.spyOn(claims, 'park').mockImplementation(async (offers, now) => {
        // Offers of other tests are withdrawn at their time.
        if (offers.some(({ user }) => user.equals(client.user))) await released;
        return park(offers, now);
      });
      const batch = await send(device);
      await eventually(
        () => withdrawing.mock.calls.flatMap(([offers]) => offers),
        (offers) => offers.some(({ user }) => user.equals(client.user)),
      );
      const { _id } = await only(device, batch);
      const claim: unknown = (await stored(_id))?.pushClaim;
      if (!(claim instanceof Types.ObjectId)) throw new Error('The message is not claimed');
      const tomorrow = new Date(worker.clock.now().getTime() + 24 * HOUR);
      await client.patch(`/gateway/batches/${batch}`, { scheduledAt: tomorrow.toISOString() }).expect(200);
      const offer = {
        user: client.user,
        claim,
        ids: [new Types.ObjectId(_id)],
        claimedAt: new Date(),
        retryAt: new Date(),
      };
      expect(await park([offer], new Date())).toBe(0);
      release();
      const message = await stored(_id);
      expect(message).toMatchObject({ status: 'pending', nextDispatchAt: tomorrow });
      for (const field of ['waitingFor', 'pushClaim']) expect(message).not.toHaveProperty(field);
    });

    it('fails 72 hours after it was due, and is given back', async () => {
      const device = await client.registerDevice();
      const batch = await send(device);
      await parked(device, batch);
      worker.clock.advance(71 * HOUR);
      await worker.get(ExpiryService).expireDue();
      expect(await only(device, batch)).toMatchObject({ status: 'pending' });
      worker.clock.advance(HOUR);
      await worker.get(ExpiryService).expireDue();
      expect(await until(device, batch, ({ status }) => status === 'failed')).toMatchObject({
        errorCode: 'PHONE_UNREACHABLE',
        errorMessage: expect.stringContaining('72 hours') as string,
      });
      await eventually(used, (count) => count === 0);
      expect((await client.batch(device, batch)).batch).toMatchObject({
        status: 'failed',
        cancelledCount: 0,
      });
    });

    it.each(['its batch', 'the message'])('is cancelled at once with %s, and never sent', async (what) => {
      const device = await client.registerDevice();
      const batch = await send(device);
      const { _id } = await parked(device, batch);
      const path =
        what === 'its batch' ? `/gateway/batches/${batch}/cancel` : `/gateway/messages/${_id}/cancel`;
      const { body } = (await client.post(path)) as { body: { data: object } };
      expect(body.data).toMatchObject({ cancelledCount: 1, requestedCount: 0 });
      const stream = await open(device, holder);
      const later = await send(device);
      await received(stream, (await only(device, later))._id);
      expect(stream.receivedIds).not.toContain(_id);
    });

    it('fails soon after its phone is deleted', async () => {
      const device = await client.registerDevice();
      const batch = await send(device);
      await parked(device, batch);
      await client.delete(`/gateway/devices/${device}`).expect(200);
      await eventually(
        async () =>
          (await worker.collection('messages').findOne({ smsBatch: new Types.ObjectId(batch) }))
            ?.errorCode as string,
        (code) => code === 'DEVICE_DELETED',
      );
    });

    describe('with a SIM of one message a day', () => {
      async function registerLimited() {
        const device = await client.registerDevice({
          simInfo: { sims: [{ subscriptionId: 1, simSlotIndex: 0 }] },
        });
        const { data } = (await client.get('/gateway/sims')).body as {
          data: { _id: string; device?: string }[];
        };
        const id = data.find((sim) => sim.device === device)?._id ?? '';
        await client.patch(`/gateway/sims/${id}`, { limits: { messagesPerDay: 1 } }).expect(200);
        const usage = () => worker.collection('simusages').findOne({ _id: new Types.ObjectId(id) });
        const reserved = async () => ((await usage())?.reservations as unknown[] | undefined)?.length;
        return { device, usage, reserved };
      }

      it('takes no room of it', async () => {
        const { device, usage, reserved } = await registerLimited();
        const batch = await send(device);
        await parked(device, batch);
        await eventually(reserved, (count) => count === 0);
        expect(await usage()).toMatchObject({ day: { count: 0 } });
        const stream = await open(device, holder);
        await received(stream, (await only(device, batch))._id);
        expect(await usage()).toMatchObject({ day: { count: 1 } });
      });

      it('frees its room although that of another phone cannot be freed at the time', async () => {
        const phones = [await registerLimited(), await registerLimited()];
        jest.spyOn(worker.get(SimAdmission), 'settleAdmission').mockRejectedValueOnce(new Error('gone'));
        await Promise.all(phones.map(({ device }) => send(device)));
        await eventually(
          () => Promise.all(phones.map(({ reserved }) => reserved())),
          (counts) => counts.includes(0),
        );
      });
    });
  });

  describe('at most once, and never lost', () => {
    it('with an offer that arrives after it was withdrawn', async () => {
      const device = await client.registerDevice();
      const stream = await open(device, holder);
      await makeOld(device);
      const transport = worker.get(StreamTransport);
      const publish = transport.offer;
      let publishLate = (): Promise<OfferResult> => Promise.resolve('lost');
      jest.spyOn(transport, 'offer').mockImplementationOnce((target, offer) => {
        publishLate = () => publish(target, offer);
        return Promise.resolve('published');
      });
      const batch = await send(device);
      const { _id } = await parked(device, batch);
      expect(stream.receivedIds).toEqual([]);
      await publishLate();
      await received(stream, _id);
      expect(await only(device, batch)).toMatchObject({ status: 'dispatched' });
      expect(stream.receivedIds).toEqual([_id]);
      expect(await stored(_id)).toMatchObject({ dispatchAttempts: 1 });
    });

    it('with a phone that connects to another process meanwhile', async () => {
      const device = await client.registerDevice();
      const old = await open(device, holder);
      const take = pauseNextCall(holder, OfferClaimsRepository, 'take');
      const batch = await send(device);
      await take.reached;
      const stream = await open(device, worker);
      take.release(false);
      const { _id } = await until(device, batch, ({ status }) => status === 'dispatched');
      // What the old stream was handed is redelivered within a minute.
      await receivedAfterLooks(stream, _id, worker);
      expect(await stored(_id)).toMatchObject({ dispatchAttempts: 1 });
      await holder.get(PhoneStreamService).keepAlive();
      await eventually(
        () => old.isOpen,
        (isOpen) => !isOpen,
      );
    });

    it.each(['before', 'after'] as const)('with a process that dies %s it took a message', async (when) => {
      const device = await client.registerDevice();
      await open(device, holder);
      const crash = crashAtCall(OfferClaimsRepository, 'take')(holder, when);
      const batch = await send(device);
      await crash.died;
      const stream = await open(device, worker);
      const { _id } = await only(device, batch);
      await received(stream, _id);
      // The look of the minute may come before its acknowledgement.
      expect(new Set(stream.receivedIds)).toEqual(new Set([_id]));
      expect(await only(device, batch)).toMatchObject({ status: 'dispatched' });
      expect(await stored(_id)).toMatchObject({ dispatchAttempts: 1 });
    });

    it('with a socket of an older stream that lingers at another process', async () => {
      const device = await client.registerDevice();
      const old = await open(device, holder);
      const stream = await open(device, worker);
      const batch = await send(device);
      await received(stream, (await only(device, batch))._id);
      expect(old.receivedIds).toEqual([]);
      await holder.get(PhoneStreamService).keepAlive();
      await eventually(
        () => old.isOpen,
        (isOpen) => !isOpen,
      );
      expect(stream.isOpen).toBe(true);
    });

    it('without Redis, within the look of each minute', async () => {
      const device = await client.registerDevice();
      const stream = await open(device, holder);
      await makeOld(device);
      redis.cut();
      const batch = await send(device);
      const { _id } = await parked(device, batch);
      await receivedAfterLooks(stream, _id, holder);
      expect(await only(device, batch)).toMatchObject({ status: 'dispatched' });
    });

    it('with a worker that dies after its claim', async () => {
      const device = await client.registerDevice();
      const stream = await open(device, holder);
      const crash = crashAtCall(OfferClaimsRepository, 'claim')(worker, 'after');
      const batch = await send(device);
      await crash.died;
      worker.clock.advance(21 * SECOND);
      await worker.get(DispatchScheduler).dispatchOverdue();
      const { _id } = await only(device, batch);
      // The holder may still be connecting to Redis, and miss the offer until it looks.
      await receivedAfterLooks(stream, _id, holder);
      expect(await stored(_id)).toMatchObject({ status: 'dispatched', dispatchAttempts: 1 });
    });
  });

  it.each(PUSH_TRANSPORTS)('is the way of phones that hold a stream, and of no others: %s', (transport) => {
    const target = { deviceId: new Types.ObjectId(), transport };
    expect(worker.get(PushClient).usesOffers(target)).toBe(
      capabilitiesOf({ pushTransport: transport }).holdsStream,
    );
  });

  describe('of a pool', () => {
    const withSim = { simInfo: { sims: [{ subscriptionId: 1, simSlotIndex: 0 }] } };
    async function poolOf(devices: readonly string[]): Promise<string> {
      const { data } = (await client.get('/gateway/sims')).body as {
        data: { _id: string; device: string }[];
      };
      const sims = data.filter(({ device }) => devices.includes(device)).map(({ _id }) => _id);
      return newPool(worker, client, sims);
    }
    const recipients = (count: number) =>
      Array.from({ length: count }, (_, index) => `+49151${String(index).padStart(8, '0')}`);

    it('goes to the phone that is there, not to one that has never opened its stream', async () => {
      const [never, connected] = [await client.registerDevice(withSim), await client.registerDevice(withSim)];
      const stream = await open(connected, holder);
      const poolId = await poolOf([never, connected]);
      await client.send(recipients(10), { poolId });
      await eventually(
        () => stream.receivedIds,
        (ids) => ids.length === 10,
      );
    });

    it('moves to another phone once its own has been offline for 30 s, because nobody took it', async () => {
      const [gone, other] = [await client.registerDevice(withSim), await client.registerDevice(withSim)];
      const poolId = await poolOf([gone, other]);
      // The process that held its stream was killed.
      const lost = await open(gone, holder);
      const crash = jest
        .spyOn(holder.get(OfferClaimsRepository), 'take')
        .mockRejectedValue(new Error('killed'));
      await makeOld(gone);
      const batch = await client.send([RECIPIENT], { poolId });
      const { _id } = await parked(gone, batch);
      const stream = await open(other, worker);
      worker.clock.advance(10 * SECOND);
      await worker.get(DispatchScheduler).dispatchOverdue();
      expect(await only(gone, batch)).toMatchObject({ status: 'pending', waitingFor: UNREACHABLE });
      worker.clock.advance(30 * SECOND);
      await worker.get(DispatchScheduler).dispatchOverdue();
      await received(stream, _id);
      crash.mockRestore();
      expect(lost.receivedIds).toEqual([]);
      const message = await stored(_id);
      expect(message).toMatchObject({ device: new Types.ObjectId(other), dispatchAttempts: 1 });
      expect(message).not.toHaveProperty('attempts');
    });

    it('stays with a phone that took it, whatever becomes of the phone', async () => {
      const [taker, other] = [await client.registerDevice(withSim), await client.registerDevice(withSim)];
      const poolId = await poolOf([taker, other]);
      await open(taker, holder);
      const crash = crashAtCall(OfferClaimsRepository, 'take')(holder, 'after');
      const batch = await client.send([RECIPIENT], { poolId });
      await crash.died;
      const stream = await open(other, worker);
      worker.clock.advance(HOUR);
      await worker.get(DispatchScheduler).dispatchOverdue();
      expect(await only(taker, batch)).toMatchObject({ status: 'dispatched' });
      expect(stream.receivedIds).toEqual([]);
    });
  });
});
