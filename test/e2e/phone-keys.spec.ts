import { randomUUID } from 'node:crypto';
import { Types } from 'mongoose';
import { ApiKeysRepository } from '../../src/auth/api-keys/api-keys.repository';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import { TestClient } from '../support/client';
import { type CrashPoint, crashAtCall } from '../support/crash-at-call';
import { TestService } from '../support/service';
import type { SessionClient } from '../support/session-client';

interface KeyJson {
  _id: string;
  apiKey: string;
  kind: string;
  deviceId?: string;
  expiresAt?: string;
  status: string;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const DAY_MS = 24 * 3_600_000;
const DEVICE_ATTRIBUTES = { brand: 'google', model: 'Pixel 8', buildId: 'AP2A.240805.005' };

describe('phone keys', () => {
  let service: TestService;
  let owner: TestClient;
  let person: SessionClient;

  beforeAll(async () => {
    service = await TestService.start();
  });
  beforeEach(async () => {
    owner = await service.newAccount();
    person = await service.signIn(owner);
  });
  afterAll(() => service.stop());

  /** A phone that has scanned a new key. */
  async function newPhone(deviceId?: string): Promise<TestClient> {
    const answer = await person.post('/auth/api-keys', { kind: 'phone', deviceId });
    expect(answer.status).toBe(201);
    return new TestClient(service.url, (answer.body as { data: string }).data, owner.user);
  }
  const register = (phone: TestClient, fields: object = {}) =>
    phone.post('/gateway/devices', { ...DEVICE_ATTRIBUTES, pushTransport: 'stream', ...fields });
  const idOf = ({ body }: Answer) => (body as { data: { _id: string } }).data._id;
  const codeOf = ({ status, body }: Answer) => [status, (body as { code?: string }).code];
  const keyOf = async ({ apiKey }: TestClient): Promise<KeyJson> => {
    const answer = await owner.get('/auth/api-keys?status=all');
    const found = (answer.body as { data: KeyJson[] }).data.find((key) =>
      key.apiKey.startsWith(apiKey.slice(0, 8)),
    );
    if (!found) throw new Error('there is no such key');
    return found;
  };
  const revoke = async (phone: TestClient) => {
    const answer = await person.post(`/auth/api-keys/${(await keyOf(phone))._id}/revoke`);
    expect(answer.status).toBe(200);
  };
  const heartbeat = (phone: TestClient, id: string) => phone.post(`/gateway/devices/${id}/heartbeat`);
  const BOUND = [400, 'KEY_BOUND'];
  const REFUSED = [401, 'AUTH_INVALID'];

  it('are permanently bound to the first phone that registers with them', async () => {
    const phone = await newPhone();
    expect(await keyOf(phone)).toMatchObject({ kind: 'phone', expiresAt: expect.any(String) as string });
    const facts = { serial: randomUUID() };
    const first = await register(phone, facts);
    expect(first.status).toBe(201);
    expect(idOf(await register(phone, facts))).toBe(idOf(first));
    const key = await keyOf(phone);
    expect(key).toMatchObject({ deviceId: idOf(first), status: 'active' });
    expect(key).not.toHaveProperty('expiresAt');
    service.clock.advance(2 * DAY_MS);
    expect((await heartbeat(phone, idOf(first))).status).toBe(200);
  });

  it('give no access to other phones or to the account', async () => {
    const [phone, other] = [await newPhone(), await newPhone()];
    const own = idOf(await register(phone, { serial: 'A' }));
    const foreign = idOf(await register(other, { serial: 'B' }));
    expect((await heartbeat(phone, own)).status).toBe(200);
    expect((await phone.get('/auth/who-am-i')).status).toBe(200);
    expect((await phone.get('/billing/current-subscription')).status).toBe(200);
    expect(codeOf(await heartbeat(phone, foreign))).toEqual(BOUND);
    expect(codeOf(await phone.patch(`/gateway/devices/${foreign}`, { enabled: false }))).toEqual(BOUND);
    expect(codeOf(await phone.get(`/gateway/devices/${foreign}/messages`))).toEqual(BOUND);
    expect(codeOf(await heartbeat(phone, '665f1c2ab7e1d4a9c0f3e812'))).toEqual(BOUND);
    expect(codeOf(await phone.get('/gateway/stats'))).toEqual(REFUSED);
    expect(codeOf(await phone.delete(`/gateway/devices/${own}`))).toEqual(REFUSED);
    expect(codeOf(await phone.post('/auth/api-keys'))).toEqual(REFUSED);
    const send = { recipients: ['+491701234567'], message: 'Hi' };
    expect((await phone.post(`/gateway/devices/${own}/send-sms`, send)).status).toBe(201);
    expect(codeOf(await phone.post(`/gateway/devices/${foreign}/send-sms`, send))).toEqual(BOUND);
    expect(codeOf(await phone.post('/gateway/send-sms', { ...send, deviceId: own }))).toEqual(REFUSED);
  });

  it('give no access to any device before they are bound', async () => {
    const device = await owner.newDevice();
    const phone = await newPhone();
    expect((await phone.get('/auth/who-am-i')).status).toBe(200);
    expect(codeOf(await heartbeat(phone, device))).toEqual(BOUND);
    expect(codeOf(await phone.patch(`/gateway/devices/${device}`, { name: 'Mine' }))).toEqual(BOUND);
    expect(codeOf(await phone.patch(`/gateway/devices/665f1c2ab7e1d4a9c0f3e812`))).toEqual([
      404,
      'DEVICE_NOT_FOUND',
    ]);
  });

  it.each([
    ['serials', { serial: 'A' }, { serial: 'B' }],
    ['push tokens', { fcmToken: randomUUID() }, { fcmToken: randomUUID() }],
  ])(
    'are bound to one of two phones that register concurrently and differ in their %s',
    async (_, one, two) => {
      const phone = await newPhone();
      const facts = [one, two].map((each) => ({ ...each, pushTransport: undefined }));
      const answers = await Promise.all(facts.map((each) => register(phone, each)));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
      for (const [index, answer] of answers.entries()) {
        const again = await register(phone, facts[index]);
        expect(again.status).toBe(answer.status);
        if (again.status === 400) expect(codeOf(again)).toEqual(BOUND);
      }
      expect((await owner.get('/gateway/devices')).body).toMatchObject({ data: [{ model: 'Pixel 8' }] });
    },
  );

  it('not bound within 24 hours are refused and no longer listed', async () => {
    const phone = await newPhone();
    service.clock.advance(DAY_MS - 60_000);
    expect((await phone.get('/auth/who-am-i')).status).toBe(200);
    service.clock.advance(60_000);
    expect(codeOf(await phone.get('/auth/who-am-i'))).toEqual(REFUSED);
    expect(codeOf(await register(phone))).toEqual(REFUSED);
    expect((await owner.get('/auth/api-keys?status=all')).body).toMatchObject({ data: [{}] });
  });

  it('are revoked with their device', async () => {
    const phone = await newPhone();
    const id = idOf(await register(phone, { serial: 'A' }));
    expect((await owner.delete(`/gateway/devices/${id}`)).status).toBe(200);
    expect(codeOf(await register(phone, { serial: 'A' }))).toEqual(REFUSED);
    expect(await keyOf(phone)).toMatchObject({ status: 'revoked', deviceId: id });
  });

  it('pair a known phone again only if created for it or if its last key is revoked', async () => {
    const phone = await newPhone();
    const id = idOf(await register(phone, { serial: 'A' }));
    const update = (key: TestClient) => key.patch(`/gateway/devices/${id}`, { name: 'Again' });
    const stranger = await newPhone();
    expect(codeOf(await update(stranger))).toEqual(BOUND);
    // The same phone with a new key is refused too while its own key is active.
    expect(codeOf(await register(stranger, { serial: 'A' }))).toEqual(BOUND);

    const made = await newPhone(id);
    expect(codeOf(await heartbeat(made, id))).toEqual(BOUND);
    expect((await update(made)).status).toBe(200);
    expect((await heartbeat(made, id)).status).toBe(200);

    await revoke(phone);
    expect(codeOf(await update(stranger))).toEqual(BOUND);
    await revoke(made);
    expect((await update(stranger)).status).toBe(200);
    expect((await heartbeat(stranger, id)).status).toBe(200);
    expect(codeOf(await update(await newPhone(await owner.newDevice())))).toEqual(BOUND);
    expect(
      (await person.post('/auth/api-keys', { kind: 'phone', deviceId: String(owner.user) })).status,
    ).toBe(404);
  });

  it('created for a device bind the first phone that uses them to it', async () => {
    const id = idOf(await register(await newPhone(), { serial: 'Broken' }));
    const made = await newPhone(id);
    expect(idOf(await register(made, { serial: 'Replacement' }))).toBe(id);
    expect(codeOf(await register(made, { serial: 'Third' }))).toEqual(BOUND);
    expect((await heartbeat(made, id)).status).toBe(200);
  });

  it('never take over a device bound to another key, even one of the same model that has missed two heartbeats', async () => {
    const id = idOf(await register(await newPhone(), { fcmToken: randomUUID(), pushTransport: 'fcm' }));
    await owner.post(`/gateway/devices/${id}/heartbeat`);
    const silent = await owner.newDevice({ ...DEVICE_ATTRIBUTES, serial: undefined, fcmToken: randomUUID() });
    service.clock.advance(2 * 3_600_000);
    const other = await register(await newPhone(), { fcmToken: randomUUID(), pushTransport: 'fcm' });
    expect(idOf(other)).toBe(silent);
    const third = await register(await newPhone(), { fcmToken: randomUUID(), pushTransport: 'fcm' });
    expect([id, silent]).not.toContain(idOf(third));
  });

  it('of a reinstalled app are bound to its device once that has missed two heartbeats', async () => {
    const phone = await newPhone();
    const facts = () => ({ fcmToken: randomUUID(), pushTransport: 'fcm' });
    const id = idOf(await register(phone, facts()));
    expect(codeOf(await register(phone, facts()))).toEqual(BOUND);
    service.clock.advance(61 * 60_000);
    expect(idOf(await register(phone, facts()))).toBe(id);
    expect(codeOf(await register(phone, { ...facts(), model: 'Pixel 9' }))).toEqual(BOUND);
  });

  const steps: [string, CrashPoint, 'before' | 'after'][] = [
    ['before the key is bound', crashAtCall(ApiKeysRepository, 'bind'), 'before'],
    ['after the key is bound', crashAtCall(ApiKeysRepository, 'bind'), 'after'],
    ['before the device is stored', crashAtCall(DevicesRepository, 'insert'), 'before'],
    ['after the device is stored', crashAtCall(DevicesRepository, 'insert'), 'after'],
  ];
  it.each(steps)('can register again after the process died %s', async (_, step, when) => {
    const phone = await newPhone();
    step(service, when);
    expect((await register(phone, { serial: 'A' })).status).toBe(500);
    const bound = (await keyOf(phone)).deviceId;
    const again = await register(phone, { serial: 'A' });
    expect(again.status).toBe(201);
    if (bound) expect(idOf(again)).toBe(bound);
    expect((await heartbeat(phone, idOf(again))).status).toBe(200);
    expect(codeOf(await register(phone, { serial: 'B' }))).toEqual(BOUND);
    expect((await owner.get('/gateway/devices')).body).toMatchObject({ data: [{ isDefault: true }] });
  });

  it('revoked during the registration create no device', async () => {
    const phone = await newPhone();
    const keys = service.get(ApiKeysRepository);
    const bind = jest.spyOn(keys, 'bind').mockImplementationOnce(async (account, id, device, now) => {
      await keys.revoke(account, id, now);
      return keys.bind(account, id, device, now);
    });
    expect(codeOf(await register(phone, { serial: 'A' }))).toEqual(REFUSED);
    bind.mockRestore();
    expect((await owner.get('/gateway/devices')).body).toEqual({ data: [] });
  });

  it('bound while the device is deleted give no access to it', async () => {
    const phone = await newPhone();
    const id = idOf(await register(phone, { serial: 'A' }));
    await revoke(phone);
    const next = await newPhone();
    const keys = service.get(ApiKeysRepository);
    const bind = jest.spyOn(keys, 'bind').mockImplementationOnce(async (account, key, device, now) => {
      await owner.delete(`/gateway/devices/${id}`);
      return keys.bind(account, key, device, now);
    });
    expect(codeOf(await register(next, { serial: 'A' }))).toEqual([404, 'DEVICE_NOT_FOUND']);
    bind.mockRestore();
    expect(codeOf(await register(next, { serial: 'A' }))).toEqual(REFUSED);
    expect(await keyOf(next)).toMatchObject({ status: 'revoked', deviceId: id });
  });

  it('without a kind, as the first of an installation, are full keys', async () => {
    await service.collection('apikeys').updateMany({ user: owner.user }, { $unset: { kind: 1 } });
    expect((await owner.get('/gateway/stats')).status).toBe(200);
    expect(await keyOf(owner)).toMatchObject({ kind: 'full' });
    expect(Types.ObjectId.isValid((await keyOf(owner))._id)).toBe(true);
  });

  describe('and the switch of the phone', () => {
    const set = async (by: TestClient | SessionClient, id: string, enabled: boolean) =>
      ((await by.patch(`/gateway/devices/${id}`, { enabled })).body as { data: { enabled: boolean } }).data
        .enabled;

    it('leave that of the owner alone: both must be on', async () => {
      const phone = await newPhone();
      const id = idOf(await register(phone));
      expect(await set(phone, id, false)).toBe(false);
      // The owner cannot switch it on from afar.
      expect(await set(owner, id, true)).toBe(false);
      expect(await set(phone, id, true)).toBe(true);

      for (const by of [owner, person]) {
        expect(await set(by, id, false)).toBe(false);
        expect(await set(phone, id, false)).toBe(false);
        expect(await set(phone, id, true)).toBe(false);
        expect(idOf(await register(phone, { enabled: true }))).toBe(id);
        const send = { deviceId: id, message: 'Hi', recipients: ['+4915112345678'] };
        expect(codeOf(await owner.post('/gateway/send-sms', send))).toEqual([400, 'DEVICE_DISABLED']);
        expect(await set(by, id, true)).toBe(true);
      }
    });

    it('start as the phone registers', async () => {
      const phone = await newPhone();
      const id = idOf(await register(phone, { enabled: false }));
      expect(await set(owner, id, true)).toBe(false);
      expect(await set(phone, id, true)).toBe(true);
    });

    it('are the switch of the owner for an app with a full key', async () => {
      const id = idOf(await register(owner, { enabled: false }));
      expect(await set(owner, id, true)).toBe(true);
      expect(await set(owner, id, false)).toBe(false);
      expect(await set(person, id, true)).toBe(true);
    });
  });
});
