import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { MaintenanceScheduler } from '../../src/maintenance/maintenance.scheduler';
import { MessageRetention } from '../../src/maintenance/retention/message-retention.service';
import { TotalsRepository } from '../../src/totals/totals.repository';
import type { DayCounts, HourCount, Totals } from '../../src/totals/totals.schema';
import { TotalsService } from '../../src/totals/totals.service';
import { TestClient } from '../support/client';
import { crashAtCall } from '../support/crash-at-call';
import { pauseNextCall } from '../support/pause-next-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';

const DAY = 24 * 3_600_000;
const numbers = (count: number) =>
  Array.from({ length: count }, (_, index) => `+4915${String(index).padStart(8, '0')}`);

describe('totals', () => {
  let service: TestService;
  let other: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    const transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    other = await TestService.start({ environment: { APP_ROLES: 'api' }, transport, shared: service });
    for (const each of [service, other]) each.stopTimers();
    await service.get(MaintenanceScheduler).runDue();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });

  const ofDevice = async (id = device) => {
    const { body } = (await client.get(`/gateway/devices/${id}`)) as {
      body: { data: { sentSMSCount: number; receivedSMSCount: number } };
    };
    return [body.data.sentSMSCount, body.data.receivedSMSCount];
  };
  const ofAccount = async () => {
    const { body } = (await client.get('/gateway/stats')) as {
      body: { data: { totalSentSMSCount: number; totalReceivedSMSCount: number } };
    };
    return [body.data.totalSentSMSCount, body.data.totalReceivedSMSCount];
  };
  /** Closes all periods up to now, as if nothing were in progress. */
  const close = async (at = service) => {
    await sleep(5);
    return at.get(TotalsService).close(accountScope(client.user), new Date());
  };
  const stored = (id: string | Types.ObjectId = device) =>
    service.collection('totals').findOne<Totals>({ _id: new Types.ObjectId(id) });
  const throughOf = async (id: string | Types.ObjectId = device) =>
    (await stored(id))?.through.getTime() ?? 0;
  const receive = (message: string, fields: object = {}) =>
    client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+49', message, ...fields });

  /** Sends one message for each list of statuses and reports them. */
  async function sendReported(...statuses: string[][]): Promise<void> {
    const batch = await client.send(numbers(statuses.length), { deviceId: device });
    const { messages } = await client.batch(device, batch);
    for (const [index, { _id }] of messages.entries()) {
      for (const status of statuses[index] ?? []) await client.report(device, _id, status);
    }
  }

  it('count every message once, before and after its period is closed', async () => {
    await sendReported(['SENT'], ['SENT', 'DELIVERED'], ['DELIVERED', 'SENT'], ['FAILED'], []);
    await sendReported(['odd', 'SENT'], ['SENT', 'SENT', 'FAILED']); // a failure after sending counts as sent
    await receive('one');
    await receive('two', { receivedAtInMillis: 5 });
    await receive('two', { receivedAtInMillis: 5 });
    for (let round = 0; round < 3; round++) {
      expect([await ofDevice(), await ofAccount()]).toEqual([
        [5, 2],
        [5, 2],
      ]);
      await close();
    }
    for (const id of [device, client.user]) expect(await stored(id)).toMatchObject({ sent: 5, received: 2 });
    await receive('three');
    expect([await ofDevice(), await ofAccount()]).toEqual([
      [5, 3],
      [5, 3],
    ]);
  });

  it('add up over devices, and keep deleted ones in the totals of the account', async () => {
    await sendReported(['SENT']);
    await close();
    const first = device;
    device = await client.newDevice();
    await sendReported(['SENT'], ['DELIVERED']);
    await receive('one');
    await client.delete(`/gateway/devices/${first}`);
    expect([await ofDevice(), await ofAccount()]).toEqual([
      [2, 1],
      [3, 1],
    ]);
    await close();
    expect([await ofDevice(), await ofAccount()]).toEqual([
      [2, 1],
      [3, 1],
    ]);
  });

  it('of a device without messages in a period are not written', async () => {
    await receive('one');
    await close();
    await close();
    const idle = await stored();
    const first = device;
    device = await client.newDevice();
    await receive('two');
    await close();
    await close();
    expect(await stored(first)).toEqual(idle);
    expect(await throughOf()).toBeGreaterThan(idle?.through.getTime() ?? Infinity);
    device = first;
    await receive('three');
    for (let round = 0; round < 3; round++) {
      expect([await ofDevice(), await ofAccount()]).toEqual([
        [0, 2],
        [0, 3],
      ]);
      await close();
    }
  });

  it('of devices include each period once, whenever its counts are added to them', async () => {
    await receive('one');
    await close();
    expect(await stored()).toBeNull();
    expect(await ofDevice()).toEqual([0, 1]);
    await service
      .get(TotalsRepository)
      .addLastPeriod(await service.get(TotalsRepository).find(accountScope(client.user)));
    expect(await stored()).toMatchObject({ received: 1 });
    expect(await ofDevice()).toEqual([0, 1]);
    await service
      .get(TotalsRepository)
      .addLastPeriod(await service.get(TotalsRepository).find(accountScope(client.user)));
    expect(await stored()).toMatchObject({ received: 1 });
    await close();
    expect([await ofDevice(), await ofAccount()]).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it.each(['listOfDevices', 'countSince'] as const)(
    'of devices are exact when periods are closed before %s',
    async (method) => {
      await receive('one');
      await close();
      await receive('two');
      const paused = pauseNextCall(service, TotalsRepository, method);
      const reading = ofDevice();
      await paused.reached;
      await close(other);
      await receive('three');
      await close(other);
      paused.release(false);
      // Whether the third message is part of the answer depends on when it came.
      expect(['0,2', '0,3']).toContain(String(await reading));
      expect([await ofDevice(), await ofAccount()]).toEqual([
        [0, 3],
        [0, 3],
      ]);
    },
  );

  it('are read although a device is counted further than its account, as after a partly restored backup', async () => {
    await client.send(numbers(2));
    await close();
    await service
      .collection('totals')
      .updateOne(
        { _id: new Types.ObjectId(device) },
        { $set: { user: client.user, sent: 2, through: new Date(Date.now() + DAY) } },
        { upsert: true },
      );
    expect((await ofDevice())[0]).toBe(2);
  });

  it('of a process that closes late add nothing twice', async () => {
    await receive('one');
    await close();
    const paused = pauseNextCall(service, TotalsRepository, 'addLastPeriod');
    const closing = close();
    await paused.reached;
    for (const message of ['two', 'three']) {
      await receive(message);
      await close(other);
    }
    paused.release(false);
    await closing;
    for (let round = 0; round < 3; round++) {
      expect([await ofDevice(), await ofAccount()]).toEqual([
        [0, 3],
        [0, 3],
      ]);
      await close();
    }
    expect(await stored()).toMatchObject({ received: 3 });
  });

  it('are closed in several periods if the counts of one would not fit in a document', async () => {
    const repository = service.get(TotalsRepository);
    const countAll = repository.countAll.bind(repository);
    const many: HourCount[] = Array.from({ length: 50_001 }, () => ({
      kind: 'sent',
      hour: new Date(),
      count: 1,
    }));
    await sendReported(['SENT'], ['DELIVERED']);
    const year = Date.now() - 365 * DAY;
    await service
      .collection('messages')
      .updateOne({ user: client.user }, { $set: { countedAt: new Date(year) } });
    const periods: number[] = [];
    jest.spyOn(repository, 'countAll').mockImplementation(async (account, from, to) => {
      const counts = await countAll(account, from, to);
      if (counts.length > 2) return many;
      periods.push(counts.length);
      return counts;
    });
    await close();
    jest.restoreAllMocks();
    expect(periods.length).toBeGreaterThan(1);
    await close();
    expect([await ofDevice(), await ofAccount(), (await stored())?.sent]).toEqual([[2, 0], [2, 0], 2]);
  });

  it('are the same for any number of processes that close at once, under traffic', async () => {
    const others = await Promise.all(Array.from({ length: 4 }, () => client.newDevice()));
    const traffic = async () => {
      for (let round = 0; round < 4; round++) await sendReported(['SENT'], ['DELIVERED']);
    };
    const closing = async (at: TestService) => {
      for (let round = 0; round < 6; round++) await close(at);
    };
    // Closing up to now is safe, because every report is awaited before the next one.
    await traffic();
    await Promise.all([service, other, service, other].map(closing));
    await traffic();
    await Promise.all([service, other, service, other].map(closing));
    expect([await ofDevice(), await ofAccount()]).toEqual([
      [16, 0],
      [16, 0],
    ]);
    await Promise.all([service, other, service].map(closing));
    expect(await stored()).toMatchObject({ sent: 16 });
    for (const id of others) expect((await stored(id))?.sent ?? 0).toBe(0);
  });

  it('include a message that is counted while an earlier period is closed', async () => {
    await sendReported(['SENT']);
    const paused = pauseNextCall(service, TotalsRepository, 'closePeriod');
    const closing = close();
    await paused.reached;
    await sendReported(['SENT']);
    expect(await ofAccount()).toEqual([2, 0]);
    paused.release(false);
    await closing;
    expect([await ofAccount(), await ofDevice(), (await stored(client.user))?.sent]).toEqual([
      [2, 0],
      [2, 0],
      1,
    ]);
    await close();
    expect([await ofAccount(), await ofDevice(), (await stored(client.user))?.sent]).toEqual([
      [2, 0],
      [2, 0],
      2,
    ]);
  });

  const STEPS = (['find', 'addLastPeriod', 'countAll', 'closePeriod'] as const).flatMap((method) =>
    (['before', 'after'] as const).map((when) => [when, method] as const),
  );

  it.each(STEPS)('are exact when a process dies %s %s', async (when, method) => {
    await sendReported(['SENT'], ['FAILED']);
    await receive('one');
    await close();
    await sendReported(['SENT']);
    crashAtCall(TotalsRepository, method)(service, when);
    await expect(close()).rejects.toThrow('killed');
    expect([await ofAccount(), await ofDevice()]).toEqual([
      [2, 1],
      [2, 1],
    ]);
    await sendReported(['SENT']);
    await Promise.all([close(), close(other)]);
    expect([await ofAccount(), await ofDevice()]).toEqual([
      [3, 1],
      [3, 1],
    ]);
    await close();
    expect([await ofAccount(), await ofDevice(), (await stored())?.sent]).toEqual([[3, 1], [3, 1], 3]);
  });

  it('use the time of the database, whatever the phone and the server report', async () => {
    await close();
    const future = Date.now() + 400 * DAY;
    service.clock.advance(-30 * DAY);
    await receive('long ago', { receivedAtInMillis: 5 });
    const batch = await client.send(numbers(2), { deviceId: device });
    const [first, second] = (await client.batch(device, batch)).messages;
    await client.report(device, first?._id ?? '', 'SENT', { sentAtInMillis: future });
    await client.report(device, second?._id ?? '', 'DELIVERED', { deliveredAtInMillis: 5 });
    service.clock.advance(30 * DAY);
    expect(await ofAccount()).toEqual([2, 1]);
    const marks = await service
      .collection('messages')
      .find({ user: client.user })
      .project<{ countedAt: Date }>({ countedAt: 1 })
      .toArray();
    for (const { countedAt } of marks)
      expect(Math.abs(countedAt.getTime() - Date.now())).toBeLessThan(60_000);
    await close();
    expect([await ofAccount(), await ofDevice(), (await stored(client.user))?.sent]).toEqual([
      [2, 1],
      [2, 1],
      2,
    ]);
  });

  it('are closed by the scheduled job only a minute after the end of the period', async () => {
    await sendReported(['SENT']);
    const totals = service.get(TotalsService);
    const since = new Date(Date.now() - 60_000);
    const isActive = async (now: Date) => (await totals.listActive([client.user], since, now)).length > 0;
    expect(await isActive(new Date())).toBe(false);
    await totals.maintain(accountScope(client.user), new Date());
    expect((await stored(client.user))?.sent ?? 0).toBe(0);
    const later = new Date(Date.now() + 121_000);
    expect(await isActive(later)).toBe(true);
    await totals.maintain(accountScope(client.user), later);
    expect(await stored(client.user)).toMatchObject({ sent: 1 });
    expect(await ofAccount()).toEqual([1, 0]);
  });

  /** Moves what the account has counted, and the time up to which it is stored, to the past. */
  async function age({ user } = client): Promise<void> {
    await service.get(TotalsService).close(accountScope(user), new Date(Date.now() - 3_600_000));
    const counted = new Date(Date.now() - 300_000);
    const messages = service.collection('messages');
    for (const field of ['countedAt', 'finalCountedAt'])
      await messages.updateMany({ user, [field]: { $exists: true } }, { $set: { [field]: counted } });
  }
  const isDue = (job: string) =>
    service
      .collection('leases')
      .updateOne(
        { _id: job as never },
        { $set: { heldUntil: new Date(0) }, $unset: { acquiredAt: 1, lastAcquiredAt: 1 } },
      );

  it('of an account that fails do not stop the others, and are closed once it is repaired', async () => {
    const scheduler = service.get(MaintenanceScheduler);
    const clients = [client];
    for (let count = 0; count < 3; count++) clients.push(await service.newAccount());
    for (client of clients) {
      device = await client.newDevice();
      await receive('one');
      await age();
    }
    const [broken, ...others] = clients.map(({ user }) => user);
    if (!broken) throw new Error('There are four');
    const setReceived = (received: unknown) =>
      service
        .collection('totals')
        .updateOne(
          { _id: broken },
          { $set: { received }, $setOnInsert: { user: broken, through: new Date(0), sent: 0 } },
          { upsert: true },
        );
    await setReceived('not a number');
    const error = jest.spyOn(Logger.prototype, 'error').mockReturnValue(undefined);
    await isDue('rollups');
    await scheduler.runDue();
    const logged = error.mock.calls.map(([line]) => String(line));
    error.mockRestore();
    expect(logged).toEqual([
      expect.stringMatching(
        `^rollups of account ${broken.toHexString()} failed and is retried by the next run, an hour later at most`,
      ),
    ]);
    for (const user of others) expect(await stored(user)).toMatchObject({ received: 1 });
    await setReceived(0);
    await isDue('message-retention');
    await scheduler.runDue();
    expect(await stored(broken)).toMatchObject({ received: 1 });
  });

  it('of accounts after those of the first step are closed by the scheduled job', async () => {
    const accounts = service.collection('accounts');
    const earlier = Array.from({ length: 200 }, (_, index) => ({
      _id: Types.ObjectId.createFromTime(index),
      email: `${index}@earlier.test`,
    }));
    await accounts.insertMany(earlier);
    await receive('one');
    await age();
    await isDue('rollups');
    await service.get(MaintenanceScheduler).runDue();
    await accounts.deleteMany({ _id: { $in: earlier.map(({ _id }) => _id) } });
    expect(await stored(client.user)).toMatchObject({ received: 1 });
  });

  it('include messages without a device in those of the account only', async () => {
    await receive('one');
    await receive('two');
    await service
      .collection('messages')
      .updateOne({ user: client.user, message: 'two' }, { $unset: { device: 1 } });
    for (let round = 0; round < 2; round++) {
      expect([await ofDevice(), await ofAccount()]).toEqual([
        [0, 1],
        [0, 2],
      ]);
      await close();
    }
    expect([await stored(), await stored(client.user)]).toMatchObject([{ received: 1 }, { received: 2 }]);
  });

  it('of an account with failures only are closed by message retention', async () => {
    await sendReported(['FAILED']);
    await age();
    await service.get(MessageRetention).maintain(accountScope(client.user), new Date());
    expect(await throughOf(client.user)).toBeGreaterThan(Date.now() - 200_000);
    await close();
    const days = await service.collection('daycounts').find<DayCounts>({ user: client.user }).toArray();
    expect(days.map(({ _id }) => _id.split(':')[0]).sort()).toEqual(
      [device, client.user.toHexString()].sort(),
    );
    for (const { counts } of days) expect(counts).toEqual({ failed: expect.any(Object) as object });
  });

  describe('of a new device', () => {
    it.each(['addLastPeriod', 'countAll', 'closePeriod'] as const)(
      'are exact when another process closes further before %s',
      async (method) => {
        await receive('one');
        await close();
        device = await client.newDevice();
        await receive('two');
        const paused = pauseNextCall(service, TotalsRepository, method);
        const closing = close();
        await paused.reached;
        await receive('three');
        await close(other);
        await receive('four');
        paused.release(false);
        await closing;
        for (let round = 0; round < 3; round++) {
          expect([await ofDevice(), await ofAccount()]).toEqual([
            [0, 3],
            [0, 4],
          ]);
          await close();
        }
        expect(await stored()).toMatchObject({ received: 3 });
      },
    );
  });
});
