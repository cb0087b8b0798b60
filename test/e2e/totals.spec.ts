import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { MaintenanceScheduler } from '../../src/maintenance/maintenance.scheduler';
import { MessageRetention } from '../../src/maintenance/retention/message-retention.service';
import { createInitialTotals } from '../../src/maintenance/rollups/initial-totals';
import { TotalsRepository } from '../../src/maintenance/rollups/totals.repository';
import type { Totals } from '../../src/maintenance/rollups/totals.schema';
import { TotalsService } from '../../src/maintenance/rollups/totals.service';
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
  const forget = () => service.collection('totals').deleteMany({ user: client.user });
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
    expect(await stored()).toMatchObject({ sent: 5, received: 2 });
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
    const idle = await stored();
    const first = device;
    device = await client.newDevice();
    await receive('two');
    await close();
    expect(await stored(first)).toEqual(idle);
    expect((await stored())?.through.getTime()).toBeGreaterThan(idle?.through.getTime() ?? Infinity);
    device = first;
    await receive('three');
    for (let round = 0; round < 2; round++) {
      expect([await ofDevice(), await ofAccount()]).toEqual([
        [0, 2],
        [0, 3],
      ]);
      await close();
    }
  });

  it('wait for a device that another process has advanced, and lose nothing', async () => {
    const second = await client.newDevice();
    await receive('one');
    const repository = service.get(TotalsRepository);
    const advance = repository.advance.bind(repository);
    jest.spyOn(repository, 'advance').mockImplementationOnce(async (...args) => {
      // Closes less, and dies before it advances the account.
      await advance(args[0], new Date(args[1].getTime() - 1), args[2]);
      device = second;
      await receive('two');
      return advance(...args);
    });
    const before = await stored(client.user);
    await close();
    expect((await stored(client.user))?.through).toEqual(before?.through);
    expect(await ofAccount()).toEqual([0, 2]);
    await close();
    expect([await ofDevice(second), await ofAccount()]).toEqual([
      [0, 1],
      [0, 2],
    ]);
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
    expect(await stored()).toMatchObject({ sent: 16 });
    for (const id of others) expect((await stored(id))?.sent ?? 0).toBe(0);
  });

  it('include a message that is counted while an earlier period is closed', async () => {
    await sendReported(['SENT']);
    const paused = pauseNextCall(service, TotalsRepository, 'advance');
    const closing = close();
    await paused.reached;
    await sendReported(['SENT']);
    expect(await ofAccount()).toEqual([2, 0]);
    paused.release(false);
    await closing;
    expect([await ofAccount(), (await stored())?.sent]).toEqual([[2, 0], 1]);
    await close();
    expect([await ofAccount(), (await stored())?.sent]).toEqual([[2, 0], 2]);
  });

  const STEPS = (['list', 'countByHour', 'insertMissing', 'advance', 'storeFinishedDays'] as const).flatMap(
    (method) => (['before', 'after'] as const).map((when) => [when, method] as const),
  );

  it.each(STEPS)('are exact when a process dies %s %s', async (when, method) => {
    await sendReported(['SENT'], ['FAILED']);
    await receive('one');
    crashAtCall(TotalsRepository, method)(service, when);
    await expect(close()).rejects.toThrow('killed');
    expect(await ofAccount()).toEqual([1, 1]);
    await sendReported(['SENT']);
    await Promise.all([close(), close(other)]);
    expect([await ofAccount(), await ofDevice(), (await stored())?.sent]).toEqual([[2, 1], [2, 1], 2]);
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
    expect([await ofAccount(), (await stored())?.sent]).toEqual([[2, 1], 2]);
  });

  it('are closed by the scheduled job only a minute after the end of the period', async () => {
    await sendReported(['SENT']);
    const totals = service.get(TotalsService);
    const since = new Date(Date.now() - 60_000);
    const isActive = async (now: Date) =>
      (await totals.listActiveAccounts([client.user], since, now)).length > 0;
    expect(await isActive(new Date())).toBe(false);
    await totals.closeUntil(accountScope(client.user), new Date());
    expect((await stored())?.sent ?? 0).toBe(0);
    const later = new Date(Date.now() + 121_000);
    expect(await isActive(later)).toBe(true);
    await totals.closeUntil(accountScope(client.user), later);
    expect(await stored()).toMatchObject({ sent: 1 });
    expect(await ofAccount()).toEqual([1, 0]);
  });

  /** Moves what the account has counted, and the time up to which it is stored, to the past. */
  async function age({ user } = client): Promise<void> {
    await ofAccount();
    const counted = new Date(Date.now() - 300_000);
    const messages = service.collection('messages');
    for (const field of ['countedAt', 'finalCountedAt'])
      await messages.updateMany({ user, [field]: { $exists: true } }, { $set: { [field]: counted } });
    await service
      .collection('totals')
      .updateMany({ user }, { $set: { through: new Date(Date.now() - 3_600_000) } });
  }
  const isDue = (job: string) =>
    service
      .collection('maintenancejobs')
      .updateOne({ _id: job as never }, { $set: { dueAt: new Date(0) }, $unset: { completedAt: 1 } });

  it('of an account that fails do not stop the others, and are closed once it is repaired', async () => {
    const scheduler = service.get(MaintenanceScheduler);
    await scheduler.runDue();
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
      service.collection('totals').updateOne({ _id: broken }, { $set: { received } });
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
    const users = service.collection('users');
    const earlier = Array.from({ length: 200 }, (_, index) => ({
      _id: Types.ObjectId.createFromTime(index),
      email: `${index}@earlier.test`,
    }));
    await users.insertMany(earlier);
    await receive('one');
    await age();
    await isDue('rollups');
    await service.get(MaintenanceScheduler).runDue();
    await users.deleteMany({ _id: { $in: earlier.map(({ _id }) => _id) } });
    expect(await stored()).toMatchObject({ received: 1 });
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
    await service.get(MessageRetention).removeOld(accountScope(client.user), new Date());
    for (const id of [device, client.user]) {
      const { days = {}, through } = (await stored(id)) ?? {};
      expect(Object.values(days)).toEqual([{ failed: expect.any(Object) as object }]);
      expect(through?.getTime()).toBeGreaterThan(Date.now() - 200_000);
    }
  });

  describe('of a new device', () => {
    it.each(['insertMissing', 'advance', 'list'] as const)(
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
        for (let round = 0; round < 2; round++) {
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

  describe('created by concurrent calls on either side of a minute', () => {
    const MINUTE = 60_000;
    const boundary = Math.floor(Date.now() / MINUTE) * MINUTE - 10 * MINUTE;
    const early = { now: new Date(boundary), through: new Date(boundary - MINUTE) };
    const late = { now: new Date(boundary + MINUTE), through: new Date(boundary) };

    /** A point at which a call waits for the test. */
    function newBarrier() {
      let [reach, open, fail]: (() => void)[] = [];
      const reached = new Promise<void>((resolve) => (reach = resolve));
      const opened = new Promise<void>((resolve, reject) => {
        open = resolve;
        fail = () => {
          reject(new Error('killed'));
        };
      });
      const wait = () => {
        reach?.();
        return opened;
      };
      return { reached, wait, open: () => open?.(), fail: () => fail?.() };
    }

    /** Creates totals while the database shows this time. @param barriers waited for before each insert. */
    function create({ now }: { now: Date }, barriers: (() => Promise<void>)[]): Promise<void> {
      const totals = service.collection('totals');
      const devices = {
        aggregate: () => ({
          toArray: async () =>
            (await service.collection('devices').find({ user: client.user }).toArray()).map((each) => ({
              ...each,
              now,
            })),
        }),
      };
      const collections: Record<string, unknown> = {
        devices,
        totals: {
          find: totals.find.bind(totals),
          findOne: totals.findOne.bind(totals),
          insertMany: async (...args: Parameters<typeof totals.insertMany>) => {
            await barriers.shift()?.();
            return totals.insertMany(...args);
          },
        },
      };
      const database = { collection: (name: string) => collections[name] ?? service.collection(name) };
      return createInitialTotals(database as never, client.user);
    }

    const ORDERS = [
      {
        name: 'the earlier call stores the devices and the later one the account',
        first: early,
        second: late,
      },
      {
        name: 'the later call stores the devices and the earlier one the account',
        first: late,
        second: early,
      },
    ].flatMap((order) => [false, true].map((dies) => ({ ...order, dies })));

    it.each(ORDERS)('are exact if $name, and the first dies: $dies', async ({ first, second, dies }) => {
      await client.newDevice();
      await receive('in the minute between');
      await receive('before');
      for (const [message, at] of [
        ['in the minute between', boundary - MINUTE / 2],
        ['before', boundary - 2 * MINUTE],
      ])
        await service
          .collection('messages')
          .updateOne({ user: client.user, message }, { $set: { countedAt: new Date(at ?? 0) } });
      await forget();
      const [beforeAccount, beforeDevices] = [newBarrier(), newBarrier()];
      const creatingSecond = create(second, [beforeDevices.wait]);
      await beforeDevices.reached;
      const creatingFirst = create(first, [() => Promise.resolve(), beforeAccount.wait]);
      const outcome = expect(creatingFirst)[dies ? 'rejects' : 'resolves'];
      await beforeAccount.reached;
      expect(await stored()).toMatchObject({ through: first.through });
      beforeDevices.open();
      await creatingSecond;
      expect(await stored(client.user)).toMatchObject({ through: early.through, received: 1 });
      if (dies) beforeAccount.fail();
      else beforeAccount.open();
      await (dies ? outcome.toThrow('killed') : outcome.toBeUndefined());
      for (let round = 0; round < 2; round++) {
        expect([await ofDevice(), await ofAccount()]).toEqual([
          [0, 2],
          [0, 2],
        ]);
        await close();
      }
    });
  });

  describe('of an installation of an earlier version', () => {
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

    it('start with the stored counters, and lose or repeat nothing', async () => {
      await forget();
      await setDevice({ sentSMSCount: 12, receivedSMSCount: 7, removed: { sent: 10, received: 7, chunk } });
      await service
        .collection('messages')
        .insertMany([newMessage({}), newMessage({ removal: new Types.ObjectId() })]);
      await sendReported(['SENT']);
      expect([await ofDevice(), await ofAccount()]).toEqual([
        [13, 7],
        [13, 7],
      ]);
      await close();
      expect(await stored()).toMatchObject({ sent: 13, received: 7 });
      expect(await stored(client.user)).toMatchObject({ sent: 13, received: 7 });
    });

    it('count a message in removal, and one whose counter was lost, once', async () => {
      await forget();
      await setDevice({ sentSMSCount: 5, receivedSMSCount: 0, removed: { sent: 3, received: 0, chunk } });
      // Two are in `removed` and still stored; the counter lacks one of the others.
      const stillStored = [newMessage({ removal: chunk }), newMessage({ removal: chunk })];
      await service
        .collection('messages')
        .insertMany([...stillStored, newMessage({}), newMessage({}), newMessage({})]);
      expect(await ofAccount()).toEqual([6, 0]);
    });

    it('keep counters without any stored message', async () => {
      await forget();
      await setDevice({ sentSMSCount: 1_000, receivedSMSCount: 20 });
      expect(await ofAccount()).toEqual([1_000, 20]);
      await sendReported(['SENT']);
      await close();
      expect([await ofDevice(), await ofAccount()]).toEqual([
        [1_001, 20],
        [1_001, 20],
      ]);
    });

    it('include what processes of that version count meanwhile', async () => {
      await ofAccount();
      await setDevice({ sentSMSCount: 1 });
      await service.collection('messages').insertOne(newMessage({ countedAt: new Date(), countedBy: chunk }));
      expect(await ofAccount()).toEqual([1, 0]);
      await close();
      expect([await ofDevice(), await ofAccount()]).toEqual([
        [1, 0],
        [1, 0],
      ]);
    });
  });
});
