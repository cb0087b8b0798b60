import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, NOBODY, provokeCommonErrors } from './contract-client';
import { fieldErrors } from './field-table';
import { SIMS } from './operations';
import { SIM_RECORD } from './expected-fields';

describe('the operations of SIMs match the API document', () => {
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    document = new ApiDocument(buildDocument(service.app));
    client = new ContractClient(document, await service.newAccount());
    await client.account.newDevice({
      simInfo: {
        sims: [{ subscriptionId: 1, iccId: '8949020000000000001', carrierName: 'Test', countryIso: 'de' }],
      },
    });
  });
  afterAll(() => service.stop());

  it('a SIM without settings and one with all of them', async () => {
    const [fresh] = await client.data<{ _id: string }[]>('listSims');
    expect(fieldErrors(SIM_RECORD, fresh)).toEqual([]);
    const path = { id: fresh?._id ?? '' };
    const limits = {
      partsPerMinute: 20,
      messagesPerHour: 60,
      messagesPerDay: 200,
      messagesPerMonth: 3_000,
      recipientsPerMonth: 250,
      monthStartsOn: 15,
      timeZone: 'Europe/Berlin',
    };
    const body = { label: 'Work', phoneNumber: '+4915112345678', enabled: true, resetHealth: true, limits };
    const changed = await client.data<object>('updateSim', { path, body });
    expect(fieldErrors(SIM_RECORD, changed)).toEqual([]);
    expect(Object.keys(changed).sort()).toEqual(Object.keys(SIM_RECORD).sort());
    expect(await client.data('getSim', { path })).toEqual(changed);
    const none = { label: null, phoneNumber: null, limits: { messagesPerDay: null } };
    expect(fieldErrors(SIM_RECORD, await client.data('updateSim', { path, body: none }))).toEqual([]);
    const bad = { limits: { messagesPerDay: 0 } };
    await client.call('updateSim', '400 VALIDATION_FAILED', { path, body: bad });
    await client.call('getSim', '404 SIM_NOT_FOUND', { path: { id: NOBODY } });
  });

  it('the common errors', async () => {
    await provokeCommonErrors(document, client, SIMS);
  });

  it('covers every response in the API document', () => {
    expect(document.unseenOf(SIMS)).toEqual([]);
  });
});
