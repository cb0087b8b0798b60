import { fieldErrors } from '../contract/field-table';
import { DEVICE } from '../contract/expected-fields';
import { TestClient } from '../support/client';
import { TestService } from '../support/service';

interface DeviceJson {
  _id: string;
  isDefault: boolean;
  [field: string]: unknown;
}

describe('devices', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start();
  });
  beforeEach(async () => {
    client = await service.newAccount();
  });
  afterAll(() => service.stop());

  const read = async (id: string) =>
    ((await client.get(`/gateway/devices/${id}`)).body as { data: DeviceJson }).data;
  const list = async () => ((await client.get('/gateway/devices')).body as { data: DeviceJson[] }).data;

  const everything = {
    fcmToken: 'a-token-of-this-phone',
    enabled: true,
    brand: 'google',
    manufacturer: 'Google',
    model: 'Pixel 8',
    buildId: 'AP2A.240805.005',
    os: 'Android',
    osVersion: '14',
    osApiLevel: 34,
    osBuildFingerprint: 'google/shiba/shiba:14/AP2A.240805.005/1:user/release-keys',
    serial: 'HT-1',
    appVersionName: '2.7.1',
    appVersionCode: 41,
    name: 'Office',
    simInfo: {
      lastUpdated: 1767225600000,
      sims: [{ subscriptionId: 0, simSlotIndex: 0, iccId: '', carrierName: 'X' }],
    },
  };

  it('returns exactly the expected fields, without push token and serial', async () => {
    const answer = await client.post('/gateway/devices', everything);
    expect(answer.status).toBe(201);
    const device = (answer.body as { data: DeviceJson }).data;
    expect(fieldErrors(DEVICE, device)).toEqual([]);
    expect(device).toMatchObject({
      user: client.user.toHexString(),
      isDefault: true,
      osVersionSource: 'reported',
      simInfo: {
        lastUpdated: '2026-01-01T00:00:00.000Z',
        sims: [{ subscriptionId: 0, simSlotIndex: 0, carrierName: 'X' }],
      },
    });
    expect(await read(device._id)).toEqual(device);
    expect(await list()).toEqual([device]);
    expect(JSON.stringify(device)).not.toMatch(/a-token|HT-1/);
  });

  it('reports when the server is not configured to push to the device', async () => {
    const answer = await client.post('/gateway/devices', { fcmToken: 'a-token', model: 'Pixel' });
    const { _id, pushError } = (answer.body as { data: DeviceJson }).data;
    const expected = {
      code: 'DEVICE_NOT_PUSHABLE',
      message: expect.stringMatching(/The server .*FIREBASE_PROJECT_ID.*FIREBASE_PRIVATE_KEY/) as string,
    };
    expect(pushError).toEqual(expected);
    const send = { message: 'Hi', recipients: ['111'] };
    expect((await client.post('/gateway/send-sms', { ...send, deviceId: _id })).body).toMatchObject(expected);
    expect((await client.post('/gateway/send-sms', send)).body).toMatchObject(expected);
  });

  it('registers a phone that reports no attributes', async () => {
    const device = await read(await client.newDevice({ brand: '', model: null, buildId: '', osApiLevel: 0 }));
    expect(device).toMatchObject({
      brand: 'unknown',
      manufacturer: 'unknown',
      model: 'unknown',
      buildId: 'unknown',
      os: 'unknown',
      osVersion: 'unknown',
      enabled: true,
      receiveSMSEnabled: true,
      heartbeatEnabled: true,
      heartbeatIntervalMinutes: 30,
      smsSendDelaySeconds: 5,
      sentSMSCount: 0,
      receivedSMSCount: 0,
    });
    expect(device).not.toHaveProperty('osApiLevel');
  });

  it.each([
    [
      { osBuildFingerprint: 'google/shiba/shiba:15/AP3A/1:user/release-keys', buildId: 'AP2A.1' },
      '15',
      'fingerprint',
    ],
    [{ buildId: 'BP1A.250505.005' }, '16', 'buildId'],
    [{ buildId: 'TQ3A.230805.001' }, '13', 'buildId'],
    [{ buildId: 'AP4A.1' }, '15', 'buildId'],
  ])('determines the Android version of %j', async (attributes, osVersion, osVersionSource) => {
    expect(await read(await client.newDevice(attributes))).toMatchObject({ osVersion, osVersionSource });
  });

  it('stores a space for each line break and control character of a phone, and rejects them in a label', async () => {
    const odd = { brand: 'a\r\nb', manufacturer: 'c\u2028d', model: 'e\u0000f', buildId: 'g\th' };
    const sims = [{ subscriptionId: 1, carrierName: 'Example\nMobile' }];
    const id = await client.newDevice({ ...odd, simInfo: { sims } });
    expect(await read(id)).toMatchObject({
      brand: 'a  b',
      manufacturer: 'c d',
      model: 'e f',
      buildId: 'g h',
      simInfo: { sims: [{ carrierName: 'Example Mobile' }] },
    });
    const beat = await client.post(`/gateway/devices/${id}/heartbeat`, { networkType: 'wi\nfi' });
    expect(beat.status).toBe(200);
    expect(await read(id)).toMatchObject({ networkInfo: { networkType: 'wi fi' } });
    const answer = await client.patch(`/gateway/devices/${id}`, { name: 'Front\ndesk' });
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { details: [{ field: 'name', message: 'name must not contain control characters' }] },
    ]);
  });

  it('updates the device of a phone that registers again, without enabling it', async () => {
    const first = await client.newDevice({ serial: 'S', name: 'Mine', osApiLevel: 34 });
    await client.patch(`/gateway/devices/${first}`, { enabled: false });
    const again = await client.newDevice({
      serial: 'S',
      enabled: true,
      model: 'Pixel 9',
      name: '',
      osApiLevel: 0,
    });
    expect(again).toBe(first);
    expect(await read(first)).toMatchObject({
      enabled: false,
      model: 'Pixel 9',
      name: 'Mine',
      osApiLevel: 34,
    });
  });

  it('creates one device for twelve concurrent registrations of a phone', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => client.newDevice({ serial: 'At once' })));
    expect(new Set(ids).size).toBe(1);
    expect((await list()).length).toBe(1);
  });

  it('updates only the fields sent', async () => {
    const id = await client.newDevice(everything);
    const before = await read(id);
    const answer = await client.patch(`/gateway/devices/${id}`, {
      name: 'Renamed',
      brand: '',
      osApiLevel: 0,
      model: null,
    });
    expect(answer.status).toBe(200);
    const { updatedAt, ...after } = await read(id);
    expect(after).toEqual({ ...before, name: 'Renamed', updatedAt: undefined });
    expect(updatedAt).not.toBe(before.updatedAt);
  });

  it('makes the first device the default and replaces the default', async () => {
    const first = await client.newDevice();
    const second = await client.newDevice({ model: 'Second' });
    expect((await list()).map(({ isDefault }) => isDefault)).toEqual([true, false]);
    const answer = await client.post(`/gateway/devices/${second}/set-default`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ data: { _id: second, isDefault: true } });
    expect((await read(first)).isDefault).toBe(false);
  });

  it('hides a deleted device, keeps its totals, and registers its phone under a new id', async () => {
    const id = await client.newDevice({ serial: 'Again' });
    await client.post(`/gateway/devices/${id}/receive-sms`, {
      sender: '+49151',
      message: 'Hi',
      receivedAtInMillis: 5,
    });
    const answer = await client.delete(`/gateway/devices/${id}`);
    expect([answer.status, answer.body]).toEqual([200, { data: { success: true } }]);
    expect((await client.get(`/gateway/devices/${id}`)).status).toBe(404);
    expect((await client.delete(`/gateway/devices/${id}`)).status).toBe(404);
    expect((await client.get('/gateway/stats')).body).toEqual({
      data: { totalSentSMSCount: 0, totalReceivedSMSCount: 1, totalDeviceCount: 0, totalApiKeyCount: 1 },
    });
    const again = await client.newDevice({ serial: 'Again' });
    expect(again).not.toBe(id);
    expect((await read(again)).isDefault).toBe(true);
  });

  it('stores heartbeat values with their times and returns the response phones expect', async () => {
    const id = await client.newDevice({ name: 'Mine' });
    const answer = await client.post(`/gateway/devices/${id}/heartbeat`, {
      fcmToken: '',
      batteryPercentage: 0,
      isCharging: false,
      networkType: 'wifi',
      appVersionName: '2.8.0',
      appVersionCode: 42,
      osVersion: '15',
      osApiLevel: 35,
      deviceUptimeMillis: 1000,
      memoryFreeBytes: 1,
      memoryTotalBytes: 2,
      memoryMaxBytes: 3,
      storageAvailableBytes: 4,
      storageTotalBytes: 5,
      timezone: 'Europe/Berlin',
      locale: 'de_DE',
      receiveSMSEnabled: false,
      smsSendDelaySeconds: 0,
      isIgnoringBatteryOptimizations: true,
      isDeviceIdleMode: false,
      isPowerSaveMode: false,
      simInfo: { lastUpdated: '2026-01-01T00:00:00Z', sims: [{ subscriptionId: 2 }] },
      somethingNew: { a: 1 },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: true,
      fcmTokenUpdated: false,
      lastHeartbeat: expect.any(Number) as number,
      name: 'Mine',
      pendingCount: 0,
      config: { heartbeatEnabled: true, heartbeatIntervalMinutes: 30 },
    });
    const device = await read(id);
    const lastUpdated = device.lastHeartbeat;
    expect(new Date(String(lastUpdated)).getTime()).toBe(
      (answer.body as { lastHeartbeat: number }).lastHeartbeat,
    );
    expect(device).toMatchObject({
      batteryInfo: { percentage: 0, isCharging: false, lastUpdated },
      networkInfo: { networkType: 'wifi', lastUpdated },
      appVersionInfo: { versionName: '2.8.0', versionCode: 42, lastUpdated },
      deviceUptimeInfo: { uptimeMillis: 1000, lastUpdated },
      memoryInfo: { freeBytes: 1, totalBytes: 2, maxBytes: 3, lastUpdated },
      storageInfo: { availableBytes: 4, totalBytes: 5, lastUpdated },
      systemInfo: { timezone: 'Europe/Berlin', locale: 'de_DE', lastUpdated },
      powerInfo: {
        isIgnoringBatteryOptimizations: true,
        isDeviceIdleMode: false,
        isPowerSaveMode: false,
        lastUpdated,
      },
      simInfo: { lastUpdated: '2026-01-01T00:00:00.000Z', sims: [{ subscriptionId: 2 }] },
      appVersionName: '2.8.0',
      appVersionCode: 42,
      osVersion: '15',
      osVersionSource: 'reported',
      osApiLevel: 35,
      receiveSMSEnabled: false,
      smsSendDelaySeconds: 0,
    });
    await client.post(`/gateway/devices/${id}/heartbeat`, {
      batteryPercentage: -1,
      memoryFreeBytes: 0,
      networkType: '',
    });
    const { lastHeartbeat, lastContactAt, updatedAt, ...later } = await read(id);
    const unchanged = { ...device, lastHeartbeat: undefined, lastContactAt: undefined, updatedAt: undefined };
    expect(later).toEqual(unchanged);
    expect([lastHeartbeat, updatedAt]).not.toContain(undefined);
    expect(lastContactAt).toBe(lastHeartbeat);
  });
});
