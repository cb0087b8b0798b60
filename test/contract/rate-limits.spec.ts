import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument, type DescribedOperation } from './api-document';
import { type Call, ContractClient, NOBODY } from './contract-client';

/** Reports and uploads of phones. */
const EXEMPT = [
  'acknowledgeMessages',
  'confirmCancelledMessages',
  'openStream',
  'receiveSms',
  'receiveSmsAlias',
  'reportSmsStatus',
  'sendHeartbeat',
];

describe('the request rate', () => {
  let service: TestService;
  let document: ApiDocument;

  beforeAll(async () => {
    service = await TestService.start();
    document = new ApiDocument(buildDocument(service.app));
  });
  afterAll(() => service.stop());

  const limited = async (environment: Record<string, string>) => {
    const other = await TestService.start({ shared: service, environment });
    return { other, client: new ContractClient(document, await other.newAccount()) };
  };
  const call = ({ path, operation }: DescribedOperation): Call => ({
    path: Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, NOBODY])),
    ...(operation.requestBody && { body: {} }),
  });
  const needsAccount = ({ operation }: DescribedOperation) => !operation.security;

  it('of a key is limited for every authenticated operation except reports and uploads', async () => {
    const { other, client } = await limited({ RATE_LIMIT_PER_KEY: '1' });
    await client.call('getStats', '200');
    const unlimited: string[] = [];
    for (const operation of document.operations.filter(needsAccount)) {
      if (EXEMPT.includes(operation.id)) {
        const { status } = await client.ask(operation.id, call(operation));
        if (status !== 429) unlimited.push(operation.id);
      } else {
        await client.call(operation.id, '429 RATE_LIMITED', call(operation));
      }
    }
    expect(unlimited.sort()).toEqual(EXEMPT);
    await other.stop();
  });

  it('of an address without a valid key is limited for every authenticated operation', async () => {
    const { other, client } = await limited({ RATE_LIMIT_PER_ADDRESS: '1' });
    const wrong = { headers: { 'x-api-key': 'wrong' } };
    await client.call('getStats', '401 AUTH_INVALID', wrong);
    for (const operation of document.operations.filter(needsAccount)) {
      await client.call(operation.id, '429 RATE_LIMITED', { ...call(operation), ...wrong });
    }
    await other.stop();
  });
});
