import { Types } from 'mongoose';
import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, NOBODY, provokeCommonErrors } from './contract-client';
import { fieldErrors } from './field-table';
import { POOLS } from './operations';
import { POOL } from './expected-fields';

describe('the operations of pools match the API document', () => {
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    document = new ApiDocument(buildDocument(service.app));
    client = new ContractClient(document, await service.newAccount());
    await client.account.newDevice({ simInfo: { sims: [{ subscriptionId: 1 }, { subscriptionId: 2 }] } });
  });
  afterAll(() => service.stop());

  it('a pool, from its creation to its end', async () => {
    const sims = (await client.data<{ _id: string }[]>('listSims')).map(({ _id }) => _id);
    const [sim = ''] = sims;
    const body = { name: 'Orders', sims };
    const pool = await client.data<{ _id: string }>('createPool', { body }, 201);
    expect(fieldErrors(POOL, pool)).toEqual([]);
    const path = { id: pool._id };
    const changes = { strategy: 'round-robin', countries: { '+49': [sim] }, isDefault: true };
    const changed = await client.data<object>('updatePool', { path, body: changes });
    expect(fieldErrors(POOL, changed)).toEqual([]);
    expect(Object.keys(changed).sort()).toEqual(Object.keys(POOL).sort());
    expect(await client.data('getPool', { path })).toEqual(changed);
    expect(await client.data('listPools')).toEqual([changed]);
    await client.data('simulatePool', { path, body: { recipient: '+4915112345678' } });
    await client.data('simulatePool', { path, body: { recipient: '+33612345678' } });

    await client.call('createPool', '400 VALIDATION_FAILED', { body });
    await client.call('updatePool', '400 VALIDATION_FAILED', { path, body: { sims: [NOBODY] } });
    await client.call('simulatePool', '400 VALIDATION_FAILED', { path, body: { recipient: 'x' } });
    const others = Array.from({ length: 49 }, (_, index) => ({ name: `Pool ${index}`, sims: [sim] }));
    for (const other of others) await client.data('createPool', { body: other }, 201);
    const excess = { name: 'Too many', sims: [sim] };
    await client.call('createPool', '400 POOL_LIMIT_REACHED', { body: excess });

    const waiting = {
      _id: new Types.ObjectId(),
      user: client.account.user,
      direction: 'sent',
      status: 'pending',
    };
    await service.collection('messages').insertOne({ ...waiting, pool: new Types.ObjectId(pool._id) });
    await client.call('deletePool', '400 POOL_HAS_MESSAGES', { path });
    await client.data('deletePool', { path, query: { pending: 'keep' } });
    await client.call('getPool', '404 POOL_NOT_FOUND', { path });
  });

  it('the common errors', async () => {
    await provokeCommonErrors(document, client, POOLS);
  });

  it('covers every response in the API document', () => {
    expect(document.unseenOf(POOLS)).toEqual([]);
  });
});
