import { Types } from 'mongoose';
import { ApiKeysService } from '../../src/api-keys/api-keys.service';
import { ApiKeysRepository } from '../../src/auth/api-keys.repository';
import { DispatchService } from '../../src/gateway/dispatch.service';
import { PhoneStreams } from '../../src/gateway/phone-streams.service';

import { PushService } from '../../src/push/push.service';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { RawStream } from '../support/raw-stream';
import { TestService } from '../support/service';

/** A phone that must not send is handed nothing, whatever was dispatched to it before. */
describe('what a phone may be handed', () => {
  let pusher: TestService;
  let holder: TestService;
  let client: TestClient;
  let device: string;
  const streams: RawStream[] = [];

  // One process dispatches, another holds the streams. No worker takes jobs by itself.
  beforeAll(async () => {
    pusher = await TestService.start({ environment: { APP_ROLES: 'api' } });
    holder = await TestService.start({ shared: pusher, environment: { APP_ROLES: 'api' } });
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
  });

  async function openStream(): Promise<RawStream> {
    const stream = await RawStream.open(client.at(holder.url), device);
    streams.push(stream);
    return stream;
  }

  /** Sends and dispatches one message. @returns its id. */
  async function handOver(recipient = '111'): Promise<string> {
    const batch = await client.send([recipient], { deviceId: device });
    await dispatch(batch);
    return (await client.batch(device, batch)).messages[0]?._id ?? '';
  }
  const dispatch = (batch: string) =>
    pusher.get(DispatchService).dispatchWave({ batch: new Types.ObjectId(batch), wave: 0 });
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

  it('nothing while it is disabled, on no way; what waits for it when it is enabled again', async () => {
    const id = await handOver();
    expect(await pendingOf()).toEqual([1, 1]);
    await client.patch(`/gateway/devices/${device}`, { enabled: false });
    expect(await pendingOf()).toEqual([0, 0]);
    const stream = await openStream();
    await holder.get(PhoneStreams).offerAgain();
    expect(stream.offered).toEqual([]);
    expect(stream.isOpen).toBe(true);
    await client.patch(`/gateway/devices/${device}`, { enabled: true });
    await eventually(
      () => stream.offered,
      (offered) => offered.length > 0,
    );
    expect(stream.offered).toEqual([id]);
  });

  it.each([
    ['the device is disabled', () => setDevice({ enabled: false }), true],
    ['the device is deleted', () => setDevice({ deletedAt: new Date(), enabled: false }), false],
    ['the key is revoked', revokeInDatabase, false],
  ] as const)(
    'nothing from the moment %s, also when no process was told of it',
    async (_, change, staysOpen) => {
      const stream = await openStream();
      const first = await handOver();
      await eventually(
        () => stream.offered,
        (offered) => offered.length > 0,
      );
      await change();
      await holder.get(PhoneStreams).offerAgain();
      await pusher
        .get(PushService)
        .push({ deviceId: new Types.ObjectId(device), transport: 'stream' }, [
          { kind: 'sms', id: 'late', payload: { smsId: 'late' } },
        ]);
      await holder.get(PhoneStreams).tend();
      expect(stream.offered).toEqual([first]);
      if (!staysOpen)
        await eventually(
          () => stream.isOpen,
          (isOpen) => !isOpen,
        );
      expect(stream.isOpen).toBe(staysOpen);
    },
  );

  it('nothing that a worker publishes after the key was revoked', async () => {
    const stream = await openStream();
    const batch = await client.send(['111'], { deviceId: device });
    await revokeInDatabase();
    await dispatch(batch);
    await eventually(
      () => stream.isOpen,
      (isOpen) => !isOpen,
    );
    expect(stream.offered).toEqual([]);
  });

  it('nothing while it cannot be asked whether it may', async () => {
    const stream = await openStream();
    const asked = jest.spyOn(holder.get(ApiKeysRepository), 'findClosed');
    asked.mockRejectedValue(new Error('database away'));
    const id = await handOver();
    await holder.get(PhoneStreams).offerAgain();
    expect([stream.offered, stream.isOpen]).toEqual([[], true]);
    asked.mockRestore();
    await holder.get(PhoneStreams).offerAgain();
    await eventually(
      () => stream.offered,
      (offered) => offered.includes(id),
    );
  });

  it('closes its stream within a second of the key being revoked or the device deleted', async () => {
    const key = await pusher.collection('apikeys').findOne({ user: client.user });
    const stream = await openStream();
    const other = await pusher.newAccount();
    const otherDevice = await other.newDevice();
    const ofOther = await RawStream.open(other.at(holder.url), otherDevice);
    streams.push(ofOther);
    const since = performance.now();
    await pusher.get(ApiKeysService).revoke(client, key?._id as Types.ObjectId);
    await eventually(
      () => stream.isOpen,
      (isOpen) => !isOpen,
    );
    expect(performance.now() - since).toBeLessThan(10_000); // without the word from Redis it takes a check every 15 s
    expect(ofOther.isOpen).toBe(true);
    await other.delete(`/gateway/devices/${otherDevice}`);
    await eventually(
      () => ofOther.isOpen,
      (isOpen) => !isOpen,
    );
  });
});
