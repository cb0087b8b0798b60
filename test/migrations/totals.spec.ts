import { setTimeout as sleep } from 'node:timers/promises';
import { mongo, Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { MaintenanceScheduler } from '../../src/maintenance/maintenance.scheduler';
import { TotalsService } from '../../src/maintenance/rollups/totals.service';
import { totals } from '../../src/migrations/0002-totals';
import { MigrationsRepository } from '../../src/migrations/migrations.repository';
import { MigrationsService } from '../../src/migrations/migrations.service';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

interface Insert {
  readonly $setOnInsert: { readonly user: Types.ObjectId };
}

describe('migration 0002-totals', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' } });
    service.stopTimers();
    await eventually(
      () => service.get(MigrationsService).listPending(),
      (pending) => pending.length === 0,
    );
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const run = (db = service.get(MigrationsRepository).db) => totals.run({ db, checkpoint: () => undefined });
  const chunk = new Types.ObjectId();
  const setDevice = (fields: object) =>
    service.collection('devices').updateOne({ _id: new Types.ObjectId(device) }, { $set: fields });
  const newMessage = (fields: object) => ({
    user: client.user,
    device: new Types.ObjectId(device),
    direction: 'sent',
    status: 'sent',
    raised: [],
    outbox: [],
    createdAt: new Date(),
    countedAt: new Date(Date.now() - 3_600_000),
    ...fields,
  });
  const store = (...messages: object[]) => service.collection('messages').insertMany(messages);
  const close = async () => {
    await sleep(5);
    return service.get(TotalsService).close(accountScope(client.user), new Date());
  };
  const read = async () => {
    const { data } = (await client.get(`/gateway/devices/${device}`)).body as {
      data: { sentSMSCount: number; receivedSMSCount: number };
    };
    const stats = (await client.get('/gateway/stats')).body as {
      data: { totalSentSMSCount: number; totalReceivedSMSCount: number };
    };
    return [
      [data.sentSMSCount, data.receivedSMSCount],
      [stats.data.totalSentSMSCount, stats.data.totalReceivedSMSCount],
    ];
  };
  async function expectTotals(sent: number, received: number): Promise<void> {
    for (let round = 0; round < 3; round++) {
      expect(await read()).toEqual([
        [sent, received],
        [sent, received],
      ]);
      await close();
    }
  }

  it('starts with the stored counters, and loses or repeats nothing', async () => {
    await setDevice({ sentSMSCount: 12, receivedSMSCount: 7, removed: { sent: 10, received: 7, chunk } });
    await store(newMessage({}), newMessage({ removal: new Types.ObjectId() }));
    await run();
    await run();
    await expectTotals(12, 7);
    await store(newMessage({ countedAt: new Date(), countedBy: chunk }));
    await expectTotals(13, 7);
    await run();
    await expectTotals(13, 7);
  });

  it('counts a message in removal, and one whose counter was lost, once', async () => {
    await setDevice({ sentSMSCount: 5, receivedSMSCount: 0, removed: { sent: 3, received: 0, chunk } });
    // Two are in `removed` and still stored; the counter lacks one of the others.
    const stillStored = [newMessage({ removal: chunk }), newMessage({ removal: chunk })];
    await store(...stillStored, newMessage({}), newMessage({}), newMessage({}));
    await run();
    await expectTotals(6, 0);
  });

  it('keeps counters without any stored message', async () => {
    await setDevice({ sentSMSCount: 1_000, receivedSMSCount: 20 });
    await run();
    await expectTotals(1_000, 20);
  });

  it('changes nothing of accounts that have totals', async () => {
    await store(newMessage({ countedAt: new Date() }));
    await close();
    await close();
    const stored = () => service.collection('totals').find({ user: client.user }).sort({ _id: 1 }).toArray();
    const before = await stored();
    expect(before).toHaveLength(2);
    await run();
    expect(await stored()).toEqual(before);
    await expectTotals(1, 0);
  });

  it('is completed after a kill before any write', async () => {
    const other = await client.newDevice();
    await service
      .collection('devices')
      .updateOne({ _id: new Types.ObjectId(other) }, { $set: { sentSMSCount: 3, receivedSMSCount: 0 } });
    await setDevice({ sentSMSCount: 4, receivedSMSCount: 1 });
    const db = service.get(MigrationsRepository).db;
    for (let writes = 0; writes < 3; writes++) {
      await service.collection('totals').deleteMany({ user: client.user });
      let left = writes;
      const stored = db.collection('totals');
      const dying = {
        findOne: stored.findOne.bind(stored),
        updateOne: (filter: mongo.Filter<mongo.Document>, update: Insert, options: mongo.UpdateOptions) => {
          const isOwn = update.$setOnInsert.user.equals(client.user);
          if (isOwn && left-- === 0) return Promise.reject(new Error('killed'));
          return stored.updateOne(filter, update, options);
        },
      };
      const collection = (name: string) => (name === 'totals' ? dying : db.collection(name));
      await expect(run({ collection } as never)).rejects.toThrow('killed');
      await run();
      expect(await read()).toEqual([
        [4, 1],
        [7, 1],
      ]);
    }
  });

  it('is awaited by maintenance', async () => {
    const scheduler = service.get(MaintenanceScheduler);
    const heldUntil = async () =>
      (await service.collection('leases').findOne({ _id: 'message-retention' as never }))?.heldUntil as Date;
    const record = await service
      .collection('migrations')
      .findOneAndDelete({ _id: '0005-day-counts' as never });
    await service.collection('leases').deleteOne({ _id: 'message-retention' as never });
    await scheduler.runDue();
    expect((await heldUntil()).getTime()).toBeLessThanOrEqual(Date.now());
    await service.collection('migrations').insertOne(record as never);
    await scheduler.runDue();
    expect((await heldUntil()).getTime()).toBeGreaterThan(Date.now() + 60_000);
  });
});
