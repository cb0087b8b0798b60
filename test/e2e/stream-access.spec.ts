import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { ApiKeysService } from '../../src/api-keys/api-keys.service';
import { ApiKeysRepository } from '../../src/auth/api-keys/api-keys.repository';
import { TURN_MS } from '../../src/common/http/streams/stream-rounds';
import { PhoneStreamService } from '../../src/phones/streams/phone-stream.service';
import { RedisSubscriber } from '../../src/infrastructure/redis/redis-subscriber';
import { PushClient } from '../../src/push/push-client.service';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { RawStream } from '../support/raw-stream';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';

describe('access of phones to their messages', () => {
  let pusher: TestService;
  let holder: TestService;
  /** Between `holder` and Redis. */
  let redis: TcpProxy;
  let client: TestClient;
  let device: string;
  const streams: RawStream[] = [];

  // One process dispatches, another holds the streams. No worker runs.
  beforeAll(async () => {
    pusher = await TestService.start({ environment: { APP_ROLES: 'api' } });
    const { REDIS_URL = '' } = process.env;
    redis = await TcpProxy.to(REDIS_URL);
    holder = await TestService.start({
      shared: pusher,
      environment: { APP_ROLES: 'api', REDIS_URL: redis.via(REDIS_URL) },
    });
    holder.stopTimers();
  });
  beforeEach(async () => {
    client = await pusher.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await holder.stop();
    await pusher.stop();
    await redis.close();
  });

  async function openStream(): Promise<RawStream> {
    const stream = await RawStream.open(client.at(holder.url), device);
    streams.push(stream);
    return stream;
  }

  /** Sends and dispatches one message. @returns its id. */
  async function sendAndDispatch(recipient = '111'): Promise<string> {
    const batch = await client.send([recipient], { deviceId: device });
    await dispatch(batch);
    return (await client.batch(device, batch)).messages[0]?._id ?? '';
  }
  const dispatch = (batch: string) => dispatchWave(pusher, batch);
  const setDevice = (fields: object) =>
    pusher.collection('devices').updateOne({ _id: new Types.ObjectId(device) }, { $set: fields });
  const revokeInDatabase = () =>
    pusher.collection('apikeys').updateMany({ user: client.user }, { $set: { revokedAt: new Date() } });
  const pendingOf = async () => {
    const pending = await client.get(`/gateway/devices/${device}/messages/pending`);
    const heartbeat = await client.post(`/gateway/devices/${device}/heartbeat`);
    return [
      (pending.body as { data: unknown[] }).data.length,
      (heartbeat.body as { pendingCount: number }).pendingCount,
    ];
  };

  it('delivers nothing on any route to a disabled device, and the waiting messages once it is enabled', async () => {
    const id = await sendAndDispatch();
    expect(await pendingOf()).toEqual([1, 1]);
    await client.patch(`/gateway/devices/${device}`, { enabled: false });
    expect(await pendingOf()).toEqual([0, 0]);
    const stream = await openStream();
    await holder.get(PhoneStreamService).redeliver();
    expect(stream.receivedIds).toEqual([]);
    expect(stream.isOpen).toBe(true);
    await client.patch(`/gateway/devices/${device}`, { enabled: true });
    await eventually(
      () => stream.receivedIds,
      (ids) => ids.length > 0,
    );
    // Both changes are announced, and each announcement may deliver it.
    expect(new Set(stream.receivedIds)).toEqual(new Set([id]));
  });

  it.each([
    ['the device is disabled', () => setDevice({ enabled: false }), true],
    ['the device is deleted', () => setDevice({ deletedAt: new Date(), enabled: false }), false],
    ['the key is revoked', revokeInDatabase, false],
  ] as const)('delivers nothing once %s, also if no process was notified', async (_, change, staysOpen) => {
    const stream = await openStream();
    const first = await sendAndDispatch();
    await eventually(
      () => stream.receivedIds,
      (ids) => ids.length > 0,
    );
    await change();
    await holder.get(PhoneStreamService).redeliver();
    await pusher
      .get(PushClient)
      .push({ deviceId: new Types.ObjectId(device), transport: 'stream' }, [
        { kind: 'sms', id: 'late', payload: { smsId: 'late' } },
      ]);
    await holder.get(PhoneStreamService).keepAlive();
    expect(stream.receivedIds).toEqual([first]);
    if (!staysOpen)
      await eventually(
        () => stream.isOpen,
        (isOpen) => !isOpen,
      );
    expect(stream.isOpen).toBe(staysOpen);
  });

  it('delivers nothing that a worker publishes after the key was revoked', async () => {
    const stream = await openStream();
    const batch = await client.send(['111'], { deviceId: device });
    await revokeInDatabase();
    await dispatch(batch);
    await eventually(
      () => stream.isOpen,
      (isOpen) => !isOpen,
    );
    expect(stream.receivedIds).toEqual([]);
  });

  it('delivers nothing while access cannot be checked', async () => {
    const stream = await openStream();
    const accessCheck = jest.spyOn(holder.get(ApiKeysRepository), 'findInactive');
    accessCheck.mockRejectedValue(new Error('database away'));
    const batch = await client.send(['111'], { deviceId: device });
    await dispatch(batch);
    await eventually(
      () => client.batch(device, batch),
      ({ messages }) => messages[0]?.waitingFor !== undefined,
    );
    await holder.get(PhoneStreamService).redeliver();
    expect([stream.receivedIds, stream.isOpen]).toEqual([[], true]);
    accessCheck.mockRestore();
    await holder.get(PhoneStreamService).redeliver();
    await dispatch(batch);
    await eventually(
      () => stream.receivedIds,
      (ids) => ids.length === 1,
    );
  });

  describe('an open stream whose key is revoked', () => {
    async function revoke(): Promise<void> {
      const key = await pusher.collection('apikeys').findOne({ user: client.user });
      await pusher.get(ApiKeysService).revoke(accountScope(client.user), key?._id as Types.ObjectId);
    }
    const closed = (stream: RawStream) =>
      eventually(
        () => stream.isOpen,
        (isOpen) => !isOpen,
      );

    it('closes within a second after a Redis message, without a timer of its process', async () => {
      const closeOne = async () => {
        client = await pusher.newAccount();
        device = await client.newDevice();
        const stream = await openStream();
        const id = await sendAndDispatch();
        await eventually(
          () => stream.receivedIds,
          (ids) => ids.includes(id),
        );
        await revoke();
        const since = performance.now();
        await closed(stream);
        expect(stream.receivedIds).toEqual([id]);
        return performance.now() - since;
      };
      const otherPhone = await openStream();
      // Some may be delayed on a busy machine.
      const tookMs = [await closeOne(), await closeOne(), await closeOne()];
      expect(Math.min(...tookMs)).toBeLessThan(1_000);
      expect(otherPhone.isOpen).toBe(true);
    });

    it('closes within 15 seconds while Redis is down, and gets nothing until then', async () => {
      const stream = await openStream();
      const id = await sendAndDispatch();
      await eventually(
        () => stream.receivedIds,
        (ids) => ids.includes(id),
      );
      const batch = await client.send(['222'], { deviceId: device });
      redis.cut();
      try {
        await revoke();
        await dispatch(batch);
        // What a timer does in each of these seconds.
        const now = performance.now();
        for (let second = 1; second <= 15; second += 1)
          await holder.get(PhoneStreamService).visitDue(now + second * 1_000);
        await closed(stream);
      } finally {
        redis.restore();
      }
      // The next test needs it.
      await eventually(
        () => holder.get(RedisSubscriber).isUp(),
        (isUp) => isUp,
      );
      expect(stream.receivedIds).toEqual([id]);
      const visitDue = Object.getOwnPropertyDescriptor(PhoneStreamService.prototype, 'visitDue')
        ?.value as object;
      expect(Reflect.getMetadata('SCHEDULE_INTERVAL_OPTIONS', visitDue)).toEqual({ timeout: TURN_MS });
    });

    it('also closes when its device is deleted', async () => {
      const stream = await openStream();
      await client.delete(`/gateway/devices/${device}`);
      await closed(stream);
    });
  });
});
