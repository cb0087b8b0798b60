import { setTimeout as sleep } from 'node:timers/promises';
import { getModelToken } from '@nestjs/mongoose';
import { type Model, mongo as mongodb, Types } from 'mongoose';
import { accountScope, type AccountScope } from '../../src/auth/account-scope';
import { Batch } from '../../src/messages/batch.schema';
import { BatchesRepository } from '../../src/messages/batches.repository';
import { ReportsRepository } from '../../src/messages/reports/reports.repository';
import { parseReport } from '../../src/messages/reports/status-report';
import { TestClient } from '../support/client';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';

/** The driver retries writes of one document itself; these are writes of many. */
describe('a database connection that is lost during a write', () => {
  let mongo: TcpProxy;
  let service: TestService;
  let client: TestClient;
  let account: AccountScope;
  let device: string;

  beforeAll(async () => {
    const { MONGODB_URI = '' } = process.env;
    mongo = await TcpProxy.to(MONGODB_URI);
    service = await TestService.start({
      environment: { MONGODB_URI: mongo.via(MONGODB_URI), APP_ROLES: 'api' },
    });
    client = await service.newAccount();
    account = accountScope(client.user);
    device = await client.newDevice();
  });
  afterAll(async () => {
    await service.stop();
    await mongo.close();
  });

  /** Closes all database connections during the work. */
  async function dropConnections<Result>(
    when: 'freeze' | 'mute',
    work: () => Promise<Result>,
  ): Promise<Result> {
    mongo[when]();
    const result = work();
    await sleep(300);
    mongo.drop();
    return result;
  }

  describe.each([
    ['before the database had it', 'freeze'],
    ['before it answered', 'mute'],
  ] as const)('%s', (_, when) => {
    it('applies and counts reports once', async () => {
      const batch = await client.send(['+4915112345678', '+4915112345679']);
      const { messages } = await client.batch(device, batch);
      const now = service.clock.now();
      const reports = messages.map((message) => ({
        ...account,
        device: new Types.ObjectId(device),
        id: new Types.ObjectId(message._id),
        report: parseReport({ status: 'SENT' }, now),
        cause: {},
        now,
      }));
      const applied = await dropConnections(when, () => service.get(ReportsRepository).apply(reports));
      expect(applied).toMatchObject(messages.map(() => ({ hasChangedStatus: true })));
      const read = () =>
        service
          .collection('messages')
          .find({ smsBatch: new Types.ObjectId(batch) })
          .toArray();
      const countedAt = (await read()).map((message): unknown => message.countedAt);
      expect(countedAt).toEqual([expect.any(Date), expect.any(Date)]);
      const repeated = await service.get(ReportsRepository).apply(reports);
      expect(repeated).toMatchObject(messages.map(() => ({ hasChangedStatus: false })));
      const stored = await read();
      expect(stored.map((message): unknown => message.countedAt)).toEqual(countedAt);
      expect(stored.map(({ status, outbox }): unknown[] => [status, (outbox as unknown[]).length])).toEqual([
        ['sent', 1],
        ['sent', 1],
      ]);
    });

    it('accepts a send', async () => {
      const now = service.clock.now();
      const batch = {
        _id: new Types.ObjectId(),
        ...account,
        device: new Types.ObjectId(device),
        acceptance: 'accepting' as const,
        recipientCount: 1,
        recipientPreview: '',
        groups: [],
        unsettledSince: now,
        createdAt: now,
        updatedAt: now,
      };
      const batches = service.get(BatchesRepository);
      await batches.insert(batch);
      const accepted = await dropConnections(when, () => batches.accept(batch, { groups: [] }, now));
      expect(accepted).toMatchObject({ _id: batch._id, acceptance: 'accepted' });
    });
  });

  it('or that the majority of a replica set does not confirm, is answered with 503, and is not done twice', async () => {
    const { collection } = service.get<Model<Batch>>(getModelToken(Batch.name) as never);
    const updateMany = collection.updateMany.bind(collection);
    const unconfirmed = {
      code: 64,
      codeName: 'WriteConcernFailed',
      errmsg: 'waiting for replication timed out',
    };
    jest.spyOn(collection, 'updateMany').mockImplementationOnce(async (...update) => {
      await updateMany(...update);
      throw new mongodb.MongoWriteConcernError({ ok: 1, writeConcernError: unconfirmed });
    });
    const send = () =>
      client
        .post('/gateway/send-sms', { message: 'Once', recipients: ['+4915112345670'] })
        .set('idempotency-key', 'unconfirmed');
    const answer = await send();
    expect([answer.status, answer.body]).toMatchObject([503, { code: 'UNAVAILABLE' }]);
    const repeated = await send();
    expect([repeated.status, repeated.headers['idempotency-replayed']]).toEqual([200, 'true']);
    const stored = { user: client.user, recipient: '+4915112345670' };
    expect(await service.collection('messages').countDocuments(stored)).toBe(1);
  });
});
