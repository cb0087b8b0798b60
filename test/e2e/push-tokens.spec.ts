import { randomUUID } from 'node:crypto';
import { TestClient } from '../support/client';
import { FakeFcm } from '../support/fake-fcm';
import { TestService } from '../support/service';

interface DeviceJson {
  _id: string;
  pushError?: { code: string; message: string };
}

const DEVICE_ATTRIBUTES = { brand: 'google', model: 'Pixel 8', buildId: 'AP2A.240805.005' };
const MINUTE_MS = 60_000;

describe('a push token', () => {
  let fcm: FakeFcm;
  let service: TestService;
  let first: TestClient;
  let second: TestClient;
  let fcmToken: string;
  /** The device of the first account, which has the token. */
  let holder: string;

  beforeAll(async () => {
    fcm = await FakeFcm.start();
    service = await TestService.start({ firebase: fcm.options() });
  });
  beforeEach(async () => {
    [first, second] = [await service.newAccount(), await service.newAccount()];
    fcmToken = randomUUID();
    holder = (await register(first, { serial: 'S', fcmToken }))._id;
  });
  afterAll(async () => {
    await service.stop();
    await fcm.stop();
  });

  async function register(account: TestClient, fields: object): Promise<DeviceJson> {
    const answer = await account.post('/gateway/devices', { ...DEVICE_ATTRIBUTES, ...fields });
    expect(answer.status).toBe(201);
    return (answer.body as { data: DeviceJson }).data;
  }
  const read = async (account: TestClient, id: string) =>
    ((await account.get(`/gateway/devices/${id}`)).body as { data: DeviceJson }).data;
  const heartbeat = async (account: TestClient, id: string, fields: object = { fcmToken }) => {
    const answer = await account.post(`/gateway/devices/${id}/heartbeat`, fields);
    expect(answer.status).toBe(200);
    return answer.body as { fcmTokenUpdated: boolean };
  };
  const holders = async () => {
    const found = await service.collection('devices').find({ fcmToken }).toArray();
    return found.map(({ _id }) => String(_id));
  };
  const TOKEN_HELD = { pushError: { code: 'PUSH_TOKEN_HELD', message: expect.any(String) as string } };

  it('of a device of another account stays there, and the new device reports the conflict', async () => {
    await heartbeat(first, holder);
    const device = await register(second, { fcmToken });
    expect(device).toMatchObject(TOKEN_HELD);
    expect(await read(second, device._id)).toMatchObject(TOKEN_HELD);
    expect(await holders()).toEqual([holder]);
    for (const deviceId of [device._id, undefined]) {
      const send = { recipients: ['+491701234567'], message: 'Hi', deviceId };
      const refused = await second.post('/gateway/send-sms', send);
      expect([refused.status, refused.body]).toEqual([
        400,
        { error: device.pushError?.message, message: device.pushError?.message, code: 'PUSH_TOKEN_HELD' },
      ]);
    }
    expect(await heartbeat(second, device._id)).toMatchObject({ fcmTokenUpdated: false });
    expect(await read(first, holder)).not.toHaveProperty('pushError');
  });

  it('moves immediately if the serial is the same', async () => {
    const device = await register(second, { serial: 'S', fcmToken });
    expect(device).not.toHaveProperty('pushError');
    expect(await holders()).toEqual([device._id]);
    // Move it back: the heartbeat has no serial, but the device does.
    expect(await heartbeat(first, holder)).toMatchObject({ fcmTokenUpdated: true });
    expect(await holders()).toEqual([holder]);
  });

  it('moves with the next heartbeat after its device was deleted', async () => {
    const { _id } = await register(second, { fcmToken });
    expect((await first.delete(`/gateway/devices/${holder}`)).status).toBe(200);
    expect(await heartbeat(second, _id)).toMatchObject({ fcmTokenUpdated: true });
    expect(await holders()).toEqual([_id]);
    expect(await read(second, _id)).not.toHaveProperty('pushError');
  });

  it('moves once its device reports another token, even one of another device', async () => {
    const { _id } = await register(second, { fcmToken });
    const third = await service.newAccount();
    const taken = randomUUID();
    await register(third, { fcmToken: taken });
    expect((await first.patch(`/gateway/devices/${holder}`, { fcmToken: taken })).status).toBe(200);
    expect(await read(first, holder)).toMatchObject(TOKEN_HELD);
    expect((await second.patch(`/gateway/devices/${_id}`, { fcmToken })).status).toBe(200);
    expect(await holders()).toEqual([_id]);
    expect(await read(second, _id)).not.toHaveProperty('pushError');
  });

  it.each([
    ['last seen', async () => heartbeat(first, holder)],
    ['registered and never seen', () => Promise.resolve()],
  ])('moves if its device was %s two heartbeat intervals ago', async (_, begin) => {
    await begin();
    const device = await register(second, { fcmToken });
    service.clock.advance(59 * MINUTE_MS);
    expect(await heartbeat(second, device._id)).toMatchObject({ fcmTokenUpdated: false });
    service.clock.advance(2 * MINUTE_MS);
    expect(await heartbeat(second, device._id)).toMatchObject({ fcmTokenUpdated: true });
    expect(await holders()).toEqual([device._id]);
    // The previous device reports the conflict when it is back.
    expect(await heartbeat(first, holder)).toMatchObject({ fcmTokenUpdated: false });
    expect(await read(first, holder)).toMatchObject(TOKEN_HELD);
  });

  it('reported by many accounts concurrently belongs to one device, and all devices are stored', async () => {
    const shared = randomUUID();
    const accounts = await Promise.all(Array.from({ length: 8 }, () => service.newAccount()));
    const devices = await Promise.all(accounts.map((account) => register(account, { fcmToken: shared })));
    expect(devices.filter(({ pushError }) => !pushError)).toHaveLength(1);
    expect(await service.collection('devices').countDocuments({ fcmToken: shared })).toBe(1);
  });

  it('moves freely between the devices of one account', async () => {
    await heartbeat(first, holder);
    const other = await first.newDevice({ serial: 'T', pushTransport: 'fcm' });
    expect(await heartbeat(first, other)).toMatchObject({ fcmTokenUpdated: true });
    expect(await holders()).toEqual([other]);
    expect((await first.patch(`/gateway/devices/${holder}`, { fcmToken })).status).toBe(200);
    expect(await holders()).toEqual([holder]);
  });
});
