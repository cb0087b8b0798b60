import { Types } from 'mongoose';
import { BatchViewsRepository } from '../../src/gateway/batches/batch-views.repository';
import { SearchTooSlow } from '../../src/messages/lists/message-list.errors';
import { buildDocument } from '../../src/openapi/openapi';
import { TestService } from '../support/service';
import { ApiDocument } from './api-document';
import { ContractClient, NOBODY, provokeCommonErrors, provokeConcurrencyLimits } from './contract-client';
import { fieldErrors } from './field-table';
import { BATCHES } from './operations';
import { BATCH_SUMMARY, LISTED_BATCH } from './expected-fields';

const NUMBERS = ['+4915112345678', '+4915112345679'];

describe('the operations of batches match the API document', () => {
  let service: TestService;
  let document: ApiDocument;
  let client: ContractClient;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
    document = new ApiDocument(buildDocument(service.app));
    client = new ContractClient(document, await service.newAccount());
    await client.account.newDevice();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => service.stop());

  const inHours = (hours: number) =>
    new Date(service.clock.now().getTime() + hours * 3_600_000).toISOString();
  const change = (batch: string, update: object) =>
    service.collection('batches').updateOne({ _id: new Types.ObjectId(batch) }, update);

  it('a batch with few fields and one with all of them', async () => {
    const plain = { id: await client.account.send(NUMBERS) };
    expect(fieldErrors(BATCH_SUMMARY, await client.data('getAccountBatch', { path: plain }))).toEqual([]);
    const path = { id: await client.account.send(NUMBERS, { scheduledAt: inHours(1) }) };
    const body = { scheduledAt: inHours(2) };
    const moved = await client.data<object>('rescheduleBatch', { path, body });
    expect([fieldErrors(BATCH_SUMMARY, moved), moved]).toMatchObject([[], body]);
    const [pool, sim] = [new Types.ObjectId(), new Types.ObjectId()];
    const quietHours = { from: '21:00', to: '08:00' };
    const validUntil = service.clock.now();
    await change(path.id, {
      $set: { pool, priority: 'urgent', quietHours, validUntil, estimatedCompletionAt: validUntil },
    });
    await service
      .collection('messages')
      .updateMany({ smsBatch: new Types.ObjectId(path.id) }, { $set: { sim } });
    const paused = await client.data('pauseBatch', { path });
    expect(fieldErrors(BATCH_SUMMARY, paused)).toEqual([]);
    expect(paused).toMatchObject({
      poolId: pool.toHexString(),
      priority: 'urgent',
      quietHours,
      validUntil: validUntil.toISOString(),
      sims: [{ sim: sim.toHexString(), messages: 2 }],
      heldBack: [{ reason: 'paused', count: 2 }],
    });
    const list = await client.data<object[]>('listBatches');
    expect(list.map((each) => fieldErrors(LISTED_BATCH, each))).toEqual([[], []]);
    expect(fieldErrors(BATCH_SUMMARY, await client.data('resumeBatch', { path }))).toEqual([]);
    expect(await client.data('cancelAccountBatch', { path })).toMatchObject({ cancelledCount: 2 });
  });

  it('rejects what cannot be done', async () => {
    await client.call('listBatches', '400 VALIDATION_FAILED', { query: { poolId: 'x' } });
    jest.spyOn(service.get(BatchViewsRepository), 'list').mockRejectedValueOnce(new SearchTooSlow(2_000));
    await client.call('listBatches', '400 SEARCH_TOO_SLOW');
    const path = { id: await client.account.send(NUMBERS) };
    const body = { scheduledAt: inHours(30) };
    await client.call('rescheduleBatch', '400 VALIDATION_FAILED', { path, body: { scheduledAt: 'soon' } });
    const user = client.account.user;
    await service.collection('plans').insertOne({
      _id: 'one' as never,
      displayName: 'One',
      dailyLimit: 1,
      monthlyLimit: -1,
      bulkSendLimit: -1,
    });
    await service.collection('accounts').updateOne({ _id: user }, { $set: { plan: 'one' } });
    service.clock.advance(11_000); // expires the cached plans
    await client.call('rescheduleBatch', '429 PLAN_LIMIT_REACHED', { path, body });
    await service.collection('accounts').updateOne({ _id: user }, { $unset: { plan: 1 } });
    const since = new Date(service.clock.now().getTime() + 3_600_000);
    await change(path.id, { $set: { change: { id: new Types.ObjectId(), kind: 'reschedule', since } } });
    await Promise.all(
      BATCHES.slice(2).map((id) =>
        client.call(id, '503 BATCH_CHANGING', { path, ...(id === 'rescheduleBatch' && { body }) }),
      ),
    );
    await change(path.id, { $unset: { change: 1 } });
    await client.call('cancelAccountBatch', '200', { path });
    await client.call('rescheduleBatch', '400 BATCH_STARTED', { path, body });
    const groups = [1, 2].map((wave) => ({
      scheduledAt: new Date(wave),
      firstWave: wave,
      waves: 1,
      count: 1,
    }));
    await change(path.id, { $set: { groups } });
    await client.call('rescheduleBatch', '400 BATCH_HAS_SEVERAL_TIMES', { path, body });
  });

  it('the common errors', async () => {
    await provokeCommonErrors(document, client, BATCHES);
    await provokeConcurrencyLimits(service, client, {
      listBatches: {},
      getAccountBatch: { path: { id: NOBODY } },
    });
  });

  it('covers every response in the API document', () => {
    expect(document.unseenOf(BATCHES)).toEqual([]);
  });
});
