import { randomUUID } from 'node:crypto';
import { BatchRecoveryScheduler } from '../../src/gateway/batch-recovery.scheduler';
import { MessagesRepository } from '../../src/messages/messages.repository';
import { buildDocument } from '../../src/openapi/openapi';
import { FakeFcm } from '../support/fake-fcm';
import { newPool } from '../support/new-pool';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { type Call, ContractClient, NOBODY, provokeCommonErrors, provokeKeyBound } from './contract-client';
import { fieldErrors } from './field-table';
import { SENDS } from './operations';
import { SEND_RESULT } from './expected-fields';

const HELLO = { message: 'Hello', recipients: ['+4915112345678'] };

/** Builds the request of an operation. */
type CallFor = (fields: object, device?: string) => Call;

const single: CallFor = (fields, deviceId) => ({ body: { ...HELLO, ...fields, deviceId } });
const bulk: CallFor = (fields, deviceId) => ({ body: { messages: [{ ...HELLO, ...fields }], deviceId } });
const singleFrom: CallFor = (fields, id = '') => ({ path: { id }, body: { ...HELLO, ...fields } });
const bulkFrom: CallFor = (fields, id = '') => ({
  path: { id },
  body: { messages: [{ ...HELLO, ...fields }] },
});

describe('sends match the API document and the expected fields', () => {
  let fcm: FakeFcm;
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;
  let device: string;

  beforeAll(async () => {
    fcm = await FakeFcm.start();
    service = await TestService.start({ firebase: fcm.options(), transport: new ScriptedTransport() });
    document = new ApiDocument(buildDocument(service.app));
    await service.collection('plans').insertMany([
      { _id: 'daily', displayName: 'A day', dailyLimit: 3, monthlyLimit: -1, bulkSendLimit: 3 },
      { _id: 'monthly', displayName: 'A month', dailyLimit: -1, monthlyLimit: 3, bulkSendLimit: -1 },
    ] as never[]);
    service.clock.advance(11_000); // expires the cached plans
  });
  beforeEach(async () => {
    client = new ContractClient(document, await service.newAccount());
    device = await client.account.newDevice();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await service.stop();
    await fcm.stop();
  });

  const setAccount = (change: object) =>
    service.collection('accounts').updateOne({ _id: client.account.user }, change);
  const recipients = (count: number) => ({
    recipients: Array.from({ length: count }, (_, index) => `+4915${10_000_000 + index}`),
  });

  describe.each<[string, CallFor, number]>([
    ['sendSms', single, 200],
    ['sendBulkSms', bulk, 200],
    ['sendSmsFromDevice', singleFrom, 201],
    ['sendSmsFromDeviceAlias', singleFrom, 201],
    ['sendBulkSmsFromDevice', bulkFrom, 201],
  ])('%s', (id, callFor, accepted) => {
    const send = (
      expected: string,
      fields: object = {},
      from: string = device,
      headers: Call['headers'] = {},
    ) => client.call(id, expected, { ...callFor(fields, from), headers });

    it('queues small and large sends', async () => {
      const { body } = await send(String(accepted));
      const large = await send(String(accepted), recipients(60));
      for (const answer of [body, large.body]) {
        expect(fieldErrors(SEND_RESULT, (answer as { data: unknown }).data)).toEqual([]);
      }
      expect(body).not.toHaveProperty('data.estimatedCompletionAt');
      expect(large.body).toHaveProperty('data.estimatedCompletionAt');
    });

    it('marks a repeated send', async () => {
      const headers = { 'Idempotency-Key': 'once' };
      const first = await send(String(accepted), {}, device, headers);
      const again = await send(String(accepted), {}, device, headers);
      expect(first.headers).not.toHaveProperty('idempotency-replayed');
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect(again.body).toEqual(first.body);
      await send('400 IDEMPOTENCY_KEY_REUSED', { message: 'Another' }, device, headers);
      await send('400 VALIDATION_FAILED', {}, device, { 'Idempotency-Key': 'x'.repeat(256) });
    });

    it('rejects invalid sends', async () => {
      await send('400 VALIDATION_FAILED', { recipients: [] });
      await client.account.post('/gateway/suppressions', { number: '+447700900123' });
      await send('400 RECIPIENT_SUPPRESSED', { recipients: ['+447700900123'] });
      await send('404 DEVICE_NOT_FOUND', {}, NOBODY);
      await send(
        '400 DEVICE_NOT_PUSHABLE',
        {},
        await client.account.newDevice({ pushTransport: 'fcm', model: 'Other' }),
      );
      const held = { pushTransport: 'fcm', fcmToken: randomUUID() };
      await (await service.newAccount()).newDevice(held);
      await send('400 PUSH_TOKEN_HELD', {}, await client.account.newDevice(held));
      await client.account.post(`/gateway/devices/${device}/drain`);
      await send('400 DEVICE_DRAINING');
      await client.account.patch(`/gateway/devices/${device}`, { enabled: false });
      await send('400 DEVICE_DISABLED');
      await setAccount({ $unset: { emailVerifiedAt: true } });
      await send('400 EMAIL_NOT_VERIFIED');
    });

    it('rejects sends over the plan limit with the usage and Retry-After', async () => {
      const limited = async (count: number) => {
        const { body, headers } = await send('429 PLAN_LIMIT_REACHED', recipients(count));
        return { ...(body as object), headers };
      };
      await setAccount({ $set: { plan: 'daily' } });
      const perBatch = await limited(4);
      expect(perBatch).toMatchObject({
        limit: 'batch',
        bulkSendLimit: 3,
        headers: { 'ratelimit-limit': '3' },
      });
      expect(perBatch.headers).not.toHaveProperty('retry-after');
      await send(String(accepted), recipients(3));
      const daily = await limited(1);
      expect(daily).toMatchObject({
        limit: 'daily',
        dailyRemaining: 0,
        hasReachedLimit: true,
        monthlyLimit: -1,
      });
      expect(Number(daily.headers['retry-after'])).toBeGreaterThan(0);
      expect(daily.headers['ratelimit-reset']).toBe(daily.headers['retry-after']);
      await setAccount({ $set: { plan: 'monthly' } });
      expect(await limited(1)).toMatchObject({ limit: 'monthly', monthlyRemaining: 0, dailyLimit: -1 });
    });

    it('reports a timeout of the acceptance', async () => {
      const messages = service.get(MessagesRepository);
      const insert = messages.insert.bind(messages);
      jest.spyOn(messages, 'insert').mockImplementation(async (chunk) => {
        service.clock.advance(16_000);
        await service.get(BatchRecoveryScheduler).sweep();
        await insert(chunk);
      });
      await send('503 SEND_ABANDONED');
    });
  });

  it.each([
    ['sendSms', single],
    ['sendBulkSms', bulk],
  ])('%s requires a device', async (id, callFor) => {
    await client.account.delete(`/gateway/devices/${device}`);
    await client.call(id, '400 NO_ENABLED_DEVICE', callFor({}));
  });

  it.each([
    ['sendSms', single],
    ['sendBulkSms', bulk],
  ])('%s requires a pool with a SIM', async (id, callFor) => {
    const inPool = ({ body = {} }: Call, poolId: string): Call => ({ body: { ...(body as object), poolId } });
    await client.call(id, '404 POOL_NOT_FOUND', inPool(callFor({}), NOBODY));
    await client.call(
      id,
      '400 NO_ENABLED_SIM',
      inPool(callFor({}), await newPool(service, client.account, [])),
    );
  });

  it('common errors', async () => {
    await provokeCommonErrors(document, client, SENDS);
    await provokeKeyBound(service, document, client, SENDS);
  });

  it('cover every response in the API document', () => {
    expect(document.unseenOf(SENDS)).toEqual([]);
  });
});
