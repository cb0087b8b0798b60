import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, provokeCommonErrors } from './contract-client';
import { LOOP_TESTS } from './operations';

const SIMS = { simInfo: { sims: [1, 2].map((subscriptionId) => ({ subscriptionId })) } };

describe('loop test operations match the API document', () => {
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;

  beforeAll(async () => {
    service = await TestService.start();
    document = new ApiDocument(buildDocument(service.app));
    client = new ContractClient(document, await service.newAccount());
  });
  afterAll(() => service.stop());

  it('from the settings to a run', async () => {
    await client.data('getLoopTest');
    await client.call('runLoopTest', '400 LOOP_TEST_NOT_SET_UP');
    await client.account.newDevice(SIMS);
    const found = (await client.account.get('/gateway/sims')).body as { data: { _id: string }[] };
    const sims = found.data.map(({ _id: id }, index) => ({ id, phoneNumber: `+44770090010${index}` }));
    const settings = { sims, nightly: true, nightlyHour: 3 };
    await client.call('setLoopTest', '400 VALIDATION_FAILED', { body: { ...settings, nightlyHour: 24 } });
    await client.data('setLoopTest', { body: settings });
    await client.data('runLoopTest', {}, 201);
    await client.call('runLoopTest', '400 LOOP_TEST_RUNNING');
    await client.data('getLoopTest');
  });

  it('the common errors', async () => {
    await provokeCommonErrors(document, client, LOOP_TESTS);
  });

  it('cover every response in the API document', () => {
    expect(document.unseenOf(LOOP_TESTS)).toEqual([]);
  });
});
