import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, provokeCommonErrors, provokeConcurrencyLimits } from './contract-client';
import { fieldErrors } from './field-table';
import { OVERVIEW } from './operations';
import { MONTH, PROBLEM, QUEUE } from './expected-fields';

describe('the operations of the overview match the API document', () => {
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    document = new ApiDocument(buildDocument(service.app));
    client = new ContractClient(document, await service.newAccount());
  });
  afterAll(() => service.stop());

  it('problems', async () => {
    const device = await client.account.newDevice({ pushTransport: 'fcm', fcmToken: 'token' });
    await client.account.post(`/gateway/devices/${device}/heartbeat`, {
      isIgnoringBatteryOptimizations: false,
    });
    const problems = await client.data<object[]>('listProblems');
    expect(problems).toMatchObject([{ code: 'push_not_set_up' }, { code: 'battery_optimization_on' }]);
    expect(problems.map((problem) => fieldErrors(PROBLEM, problem))).toEqual([[], []]);
  });

  it('the queue', async () => {
    expect(await client.data('getQueue')).toEqual({ messages: 0, parts: 0, isLowerBound: false, sims: [] });
    const device = await client.account.newDevice({ simInfo: { sims: [{ subscriptionId: 1 }] } });
    const batch = await client.account.send(['+4915112345678'], { deviceId: device });
    await client.account.post(`/gateway/batches/${batch}/pause`);
    await client.account.send(['+4915112345678'], { deviceId: device });
    const queue = await client.data('getQueue');
    expect(fieldErrors(QUEUE, queue)).toEqual([]);
    expect(queue).toMatchObject({
      messages: 2,
      sims: [{ device, messages: 2, heldBack: [{ reason: 'paused', count: 1 }] }],
    });
  });

  it('the month, of a plan with and without limits', async () => {
    const month = await client.data<{ left: number | null }>('getMonth');
    expect(fieldErrors(MONTH, month)).toEqual([]);
    const plans = service.collection('plans');
    await plans.insertOne({
      _id: 'ten' as never,
      displayName: 'Ten',
      dailyLimit: -1,
      monthlyLimit: 10,
      bulkSendLimit: -1,
    });
    await service.collection('accounts').updateOne({ _id: client.account.user }, { $set: { plan: 'ten' } });
    service.clock.advance(11_000); // expires the cached plans
    const limited = await client.data<{ left: number | null }>('getMonth');
    expect(fieldErrors(MONTH, limited)).toEqual([]);
    expect([month.left, limited.left]).toEqual([null, 8]);
  });

  it('the common errors', async () => {
    await provokeCommonErrors(document, client, OVERVIEW);
    await provokeConcurrencyLimits(service, client, { getQueue: {} });
  });

  it('covers every response in the API document', () => {
    expect(document.unseenOf(OVERVIEW)).toEqual([]);
  });
});
