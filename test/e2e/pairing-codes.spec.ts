import { Types } from 'mongoose';
import request from 'supertest';
import { accountScope } from '../../src/auth/account-scope';
import { AccountAdministrationService } from '../../src/auth/accounts/account-administration.service';
import { AccountsRepository } from '../../src/auth/accounts/accounts.repository';
import { MAX_PROMPT_TRIES } from '../../src/pairing-codes/pairing-attempts.service';
import { MAX_CODES_PER_ACCOUNT, PairingCodesService } from '../../src/pairing-codes/pairing-codes.service';
import { TestClient } from '../support/client';
import { TestService } from '../support/service';
import type { SessionClient } from '../support/session-client';

const MINUTE = 60_000;
const WRONG = {
  error: 'The pairing code is wrong, used or expired; make a new one on the page Phones of the dashboard',
  code: 'PAIRING_CODE_INVALID',
};

interface CodeJson {
  id: string;
  code: string;
  expiresAt: string;
  addresses: { url: string; kind: string; variant: string; appUrl: string }[];
}

describe('pairing codes', () => {
  let service: TestService;
  let owner: TestClient;
  /** The session of the owner. */
  let person: SessionClient;

  beforeAll(async () => {
    service = await TestService.start({
      environment: { TRUST_PROXY: '1', PUBLIC_URL: 'https://sms.example.com', RATE_LIMIT_PER_ADDRESS: '0' },
    });
  });
  beforeEach(async () => {
    owner = await service.newAccount();
    person = await service.signIn(owner);
  });
  afterAll(() => service.stop());

  const codes = () => service.get(PairingCodesService);

  async function newCode(body: object = {}): Promise<CodeJson> {
    const answer = await person.post('/auth/pairing-codes', body);
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return (answer.body as { data: CodeJson }).data;
  }

  let lastAddress = 0;
  /** An address that has tried nothing. */
  const newAddress = () => `198.51.${Math.floor(++lastAddress / 250)}.${(lastAddress % 250) + 1}`;

  const redeem = (code: unknown, name?: string, address = newAddress()) =>
    request(service.url)
      .post('/api/v1/auth/pairing-codes/redemptions')
      .set('x-forwarded-for', address)
      .send({ code, ...(name !== undefined && { name }) });

  const progress = async (id: string, by = person) =>
    (await by.get(`/auth/pairing-codes/${id}`)).body as object;

  /** Pairs by the service, as the routes of an app do. */
  const pair = (code: string, fingerprint = 'body') =>
    codes().redeem(code, { address: newAddress(), fingerprint });

  /** Stores the device as a protocol does, which has not called yet. */
  async function storeDevice(_id: Types.ObjectId, fields: object = {}): Promise<void> {
    const device = { _id, user: owner.user, brand: 'google', model: 'Pixel 8', enabled: true, ...fields };
    await service.collection('devices').insertOne(device);
  }

  it('have ten digits, of which only a hash is stored, and the addresses for the app', async () => {
    const before = service.clock.now();
    const { id, code, expiresAt, addresses } = await newCode();
    expect(code).toMatch(/^\d{10}$/);
    const createdAt = new Date(expiresAt).getTime() - 10 * MINUTE;
    expect(createdAt).toBeGreaterThanOrEqual(before.getTime());
    expect(createdAt).toBeLessThanOrEqual(service.clock.now().getTime());
    expect(JSON.stringify(await service.collection('pairingcodes').find().toArray())).not.toContain(code);
    expect(addresses[0]).toEqual({
      url: 'https://sms.example.com/sms',
      kind: 'public',
      variant: 'release',
      appUrl: 'https://github.com/capcom6/android-sms-gateway/releases/download/v1.68.0/app-release.apk',
    });
    expect(addresses.at(-1)).toMatchObject({
      url: `http://127.0.0.1:${new URL(service.url).port}/sms`,
      kind: 'cable',
    });
    expect(await progress(id)).toEqual({ data: { expiresAt } });
  });

  it('give a phone key, and name the phone as soon as it has registered', async () => {
    const { id, code } = await newCode();
    const answer = await redeem(`${code.slice(0, 4)} ${code.slice(4, 7)} ${code.slice(7)}`, 'Modem');
    expect(answer.status).toBe(201);
    const { apiKey } = (answer.body as { data: { apiKey: string } }).data;
    expect(await progress(id)).not.toMatchObject({ data: { device: expect.anything() as string } });
    const phone = new TestClient(service.url, apiKey, owner.user);
    const modem = { brand: 'Huawei', model: 'E3372', serial: '861821030000001' };
    const device = await phone.registerDevice(modem);
    expect(await progress(id)).toMatchObject({ data: { device } });
    expect((await phone.get('/gateway/stats')).status).toBe(401);
    // It may register again, and nobody else by its code.
    expect(await phone.registerDevice(modem)).toBe(device);
    expect((await redeem(code, 'Modem')).body).toEqual(WRONG);
  });

  it('pair one phone: a used, expired, unknown or malformed one is refused in the same words', async () => {
    const [used, expired] = [await newCode(), await newCode()];
    await pair(used.code);
    service.clock.advance(10 * MINUTE);
    // 10^10 codes, of which few are open.
    for (const code of [used.code, expired.code, '0000000000', 'abcdefghij', '1', `${used.code}0`]) {
      const answer = await redeem(code);
      expect([answer.status, answer.body]).toEqual([401, WRONG]);
    }
    for (const code of ['', 5, null, { $ne: '' }, 'x'.repeat(65), ['1234567890']])
      expect((await redeem(code)).body).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await service.collection('apikeys').countDocuments({ user: owner.user, kind: 'phone' })).toBe(0);
  });

  it('pair one of two phones at once, and give one phone that repeats itself one device', async () => {
    const [contested, repeated] = [await newCode(), await newCode()];
    const settled = await Promise.allSettled(['a', 'b', 'c', 'd'].map((body) => pair(contested.code, body)));
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const same = await Promise.all([1, 2, 3, 4].map(() => pair(repeated.code)));
    expect(new Set(same.map(({ device }) => device.toHexString())).size).toBe(1);
  });

  it('may be repeated for two minutes, by the same request, until the phone calls', async () => {
    const { code } = await newCode();
    const { device, account, email } = await pair(code);
    expect(account.user.toHexString()).toBe(owner.user.toHexString());
    expect(email).toBe(`${owner.user.toHexString()}@example.com`);
    expect((await pair(code)).device).toEqual(device); // its process died before the device was stored
    await storeDevice(device);
    expect((await pair(code)).device).toEqual(device); // the answer was lost
    await expect(pair(code, 'another body')).rejects.toMatchObject({ code: 'PAIRING_CODE_INVALID' });
    service.clock.advance(2 * MINUTE);
    await expect(pair(code)).rejects.toMatchObject({ code: 'PAIRING_CODE_INVALID' });
  });

  it.each(['lastContactAt', 'deletedAt'])('are not repeated for a device with %s', async (field) => {
    const { code } = await newCode();
    await storeDevice((await pair(code)).device, { [field]: service.clock.now() });
    await expect(pair(code)).rejects.toMatchObject({ code: 'PAIRING_CODE_INVALID' });
  });

  it('revoke the phone key of an answer that was lost', async () => {
    const { code } = await newCode();
    const keys = [await redeem(code), await redeem(code)].map(
      ({ body }) => (body as { data: { apiKey: string } }).data.apiKey,
    );
    const [lost, got] = keys.map((key) => new TestClient(service.url, key, owner.user));
    expect((await lost?.post('/gateway/devices', { serial: 'S' }))?.status).toBe(401);
    expect((await got?.post('/gateway/devices', { serial: 'S' }))?.status).toBe(201);
  });

  it('name the device that they replace, which is one of the account', async () => {
    const replaces = await owner.newDevice();
    const { code } = await newCode({ replaces });
    expect((await pair(code)).replaces?.toHexString()).toBe(replaces);
    const other = await (await service.newAccount()).newDevice();
    for (const device of [other, new Types.ObjectId().toHexString()]) {
      const answer = await person.post('/auth/pairing-codes', { replaces: device });
      expect([answer.status, answer.body]).toMatchObject([404, { code: 'DEVICE_NOT_FOUND' }]);
    }
    const malformed = await person.post('/auth/pairing-codes', { replaces: 'odd' });
    expect(malformed.body).toMatchObject({ details: [{ field: 'replaces' }] });
  });

  it('are made and read in a session of their account only', async () => {
    const { id } = await newCode();
    expect((await owner.post('/auth/pairing-codes')).body).toMatchObject({ code: 'SESSION_REQUIRED' });
    const other = await service.signIn(await service.newAccount());
    expect(await progress(id, other)).toMatchObject({ code: 'PAIRING_CODE_NOT_FOUND' });
  });

  it('are at most 20 for each account: the oldest one makes room', async () => {
    const first = await newCode();
    service.clock.advance(1);
    for (let made = 0; made < MAX_CODES_PER_ACCOUNT; made += 1)
      await codes().create(accountScope(owner.user));
    expect(await service.collection('pairingcodes').countDocuments({ user: owner.user })).toBe(20);
    expect((await redeem(first.code)).body).toEqual(WRONG);
  });

  it('end with the sessions of the account, and with the account', async () => {
    const administration = service.get(AccountAdministrationService);
    const [ended, disabled, open] = [await newCode(), await newCode(), await newCode()];
    await administration.disable(accountScope(owner.user));
    expect((await redeem(disabled.code)).body).toEqual(WRONG);
    await administration.enable(accountScope(owner.user));
    expect((await redeem(open.code)).status).toBe(201);
    await service.get(AccountsRepository).endSessions(accountScope(owner.user), service.clock.now());
    expect((await redeem(ended.code)).body).toEqual(WRONG);
  });

  it('limit wrong tries by address, and only those', async () => {
    const [address, other] = [newAddress(), newAddress()];
    expect((await redeem((await newCode()).code, 'Phone', address)).status).toBe(201);
    for (let tried = 0; tried < 20; tried += 1)
      expect((await redeem('0000000000', 'Guess', address)).status).toBe(401);
    const { code } = await newCode();
    const refused = await redeem(code, 'Guess', address);
    expect([refused.status, refused.body]).toMatchObject([429, { code: 'TOO_MANY_ATTEMPTS' }]);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await redeem(code, 'Phone', other)).status).toBe(201);
  });

  it('only delay each try when there are many wrong ones from everywhere', async () => {
    const { code } = await newCode();
    const guesses = Array.from({ length: MAX_PROMPT_TRIES }, () => redeem('0000000000'));
    for (const { status } of await Promise.all(guesses)) expect(status).toBe(401);
    const begun = performance.now();
    expect((await redeem(code)).status).toBe(201);
    expect(performance.now() - begun).toBeGreaterThan(1_900);
  });
});
