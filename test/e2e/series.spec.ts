import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { MessageRetention } from '../../src/maintenance/retention/message-retention.service';
import { TotalsRepository } from '../../src/totals/totals.repository';
import { dayCountsId } from '../../src/totals/totals.schema';
import { TotalsService } from '../../src/totals/totals.service';
import { TestClient } from '../support/client';
import { pauseNextCall } from '../support/pause-next-call';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Point {
  at: string;
  received: number;
  sent: number;
  delivered: number;
  failed: number;
  cancelled: number;
}

describe('series', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({
      environment: { APP_ROLES: 'api,scheduler', RETENTION_MESSAGES_DAYS: '2' },
      transport: new ScriptedTransport(),
    });
    service.stopTimers();
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const get = (query: Record<string, string>) =>
    client.get(`/gateway/stats/series?${new URLSearchParams(query).toString()}`);
  const series = async (query: Record<string, string>) => {
    const answer = await get(query);
    expect([answer.status, answer.body]).toMatchObject([200, {}]);
    return (answer.body as { data: Point[] }).data;
  };
  const iso = (time: number) => new Date(time).toISOString();
  const around = (bucket: string) => ({
    from: iso(Date.now() - DAY),
    to: iso(Date.now() + 2 * HOUR),
    bucket,
  });
  const sum = (points: Point[]) => {
    const of = (kind: Exclude<keyof Point, 'at'>) => points.reduce((total, point) => total + point[kind], 0);
    return [of('received'), of('sent'), of('delivered'), of('failed'), of('cancelled')];
  };
  const close = async () => {
    await sleep(5);
    return service.get(TotalsService).close(accountScope(client.user), new Date());
  };
  const receive = (message: string, fields: object = {}) =>
    client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+49', message, ...fields });
  async function sendReported(...statuses: string[][]): Promise<void> {
    const batch = await client.send(
      statuses.map((_, index) => `+49151000${index}`),
      { deviceId: device },
    );
    const { messages } = await client.batch(device, batch);
    for (const [index, { _id }] of messages.entries())
      for (const status of statuses[index] ?? []) await client.report(device, _id, status);
  }

  it('count what happened, once, before and after periods are closed and messages removed', async () => {
    await sendReported(
      ['SENT'],
      ['SENT', 'DELIVERED'],
      ['DELIVERED', 'SENT'],
      ['SENT', 'FAILED'],
      ['FAILED'],
      ['odd'],
    );
    const cancelled = await client.send(['+4915'], { deviceId: device });
    await client.post(`/gateway/devices/${device}/sms-batch/${cancelled}/cancel`);
    await receive('one');
    await receive('long ago', { receivedAtInMillis: 5 });
    const expected = [2, 4, 2, 2, 1];
    for (let round = 0; round < 3; round++) {
      for (const bucket of ['hour', 'day']) {
        expect(sum(await series(around(bucket)))).toEqual(expected);
        expect(sum(await series({ ...around(bucket), deviceId: device }))).toEqual(expected);
      }
      await close();
    }
    await service
      .collection('messages')
      .updateMany(
        { user: client.user },
        { $set: { outbox: [] }, $unset: { relayDueAt: 1, redeliverUntil: 1 } },
      );
    service.clock.advance(3 * DAY);
    await service.get(MessageRetention).removeCounted(accountScope(client.user), await close());
    expect(await service.collection('messages').countDocuments({ user: client.user })).toBe(0);
    expect(sum(await series(around('hour')))).toEqual(expected);
  });

  it('belong to the hour of the database in which the message was counted', async () => {
    const before = Date.now();
    await receive('one', { receivedAtInMillis: 5 });
    const points = await series(around('hour'));
    const counted = points.filter(({ received }) => received > 0).map(({ at }) => Date.parse(at));
    expect(counted).toHaveLength(1);
    expect([before, Date.now()].map((time) => Math.floor(time / HOUR) * HOUR)).toContain(counted[0]);
  });

  it('separate devices and accounts', async () => {
    await receive('one');
    const first = device;
    device = await client.newDevice();
    await receive('two');
    await receive('three');
    expect(sum(await series(around('hour')))).toEqual([3, 0, 0, 0, 0]);
    expect(sum(await series({ ...around('hour'), deviceId: first }))).toEqual([1, 0, 0, 0, 0]);
    expect(sum(await series({ ...around('hour'), deviceId: device }))).toEqual([2, 0, 0, 0, 0]);
    client = await service.newAccount();
    await client.newDevice();
    expect(sum(await series(around('hour')))).toEqual([0, 0, 0, 0, 0]);
    const foreign = await get({ ...around('hour'), deviceId: first });
    expect([foreign.status, foreign.body]).toMatchObject([404, { code: 'DEVICE_NOT_FOUND' }]);
  });

  it('include every bucket of the span, rounded to whole buckets in UTC', async () => {
    const hours = await series({
      from: '2026-01-31T09:20:00+01:00',
      to: '2026-01-31T11:00:00Z',
      bucket: 'hour',
    });
    expect(hours.map(({ at }) => at)).toEqual([8, 9, 10].map((hour) => iso(Date.UTC(2026, 0, 31, hour))));
    const days = await series({ from: '2026-01-30', to: '2026-02-01T00:00:01Z' });
    expect(days.map(({ at }) => at)).toEqual(
      ['2026-01-30', '2026-01-31', '2026-02-01'].map((day) => `${day}T00:00:00.000Z`),
    );
    expect((await series({ from: '2024-01-01', to: '2025-01-01', bucket: 'day' })).length).toBe(366);
    expect((await series({ from: '2026-01-01', to: '2026-02-01', bucket: 'hour' })).length).toBe(31 * 24);
  });

  it('begin days in a time zone', async () => {
    const at = async (query: Record<string, string>) => (await series(query)).map((point) => point.at);
    const zone = { timeZone: 'Europe/Berlin' };
    expect(await at({ from: '2026-03-28', to: '2026-03-31', ...zone })).toEqual(
      ['2026-03-27T23', '2026-03-28T23', '2026-03-29T22'].map((hour) => `${hour}:00:00.000Z`),
    );
    expect(await at({ from: '2026-01-01T22:30:00Z', to: '2026-01-01T23:30:00Z', ...zone })).toEqual(
      ['2025-12-31T23', '2026-01-01T23'].map((hour) => `${hour}:00:00.000Z`),
    );
    const hours = await at({ from: '2026-10-01', to: '2026-11-01', bucket: 'hour', ...zone });
    expect([hours.length, hours[0]]).toEqual([745, '2026-09-30T22:00:00.000Z']);
    expect((await at({ from: '2026-01-01', to: '2027-01-01', ...zone })).length).toBe(365);
    expect(await at({ from: '2026-01-01', to: '2026-01-02', timeZone: 'Asia/Kolkata' })).toEqual([
      '2025-12-31T18:30:00.000Z',
    ]);
  });

  it('count each hour for one day of the time zone', async () => {
    const owner = new Types.ObjectId(client.user);
    const hours = Object.fromEntries(Array.from({ length: 24 }, (_, hour) => [hour, 1]));
    const dayOf = (day: string) => ({
      _id: dayCountsId(owner, new Date(day)) as never,
      user: client.user,
      through: new Date('2020-01-05'),
      counts: { received: hours },
    });
    await service.collection('totals').insertOne({
      _id: client.user,
      user: client.user,
      through: new Date('2020-01-05'),
      sent: 0,
      received: 0,
    });
    await service
      .collection('daycounts')
      .insertMany(['2020-01-01', '2020-01-02', '2020-01-03', '2020-01-04'].map(dayOf));
    for (const timeZone of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns']) {
      const points = await series({ from: '2020-01-02', to: '2020-01-04', timeZone });
      expect([timeZone, points.map(({ received }) => received)]).toEqual([timeZone, [24, 24]]);
    }
  });

  it.each([
    [{ from: '2026-01-01', to: '2026-01-02', timeZone: 'Europe/Atlantis' }, 'timeZone'],
    [{ from: '2026-10-01', to: '2026-11-03', bucket: 'hour', timeZone: 'Europe/Berlin' }, 'to'],
    [{ to: '2026-01-31' }, 'from'],
    [{ from: '2026-01-31' }, 'to'],
    [{ from: 'yesterday', to: '2026-01-31' }, 'from'],
    [{ from: '2026-01-31T09:00:00', to: '2026-02-01' }, 'from'],
    [{ from: '2026-01-01', to: '2026-02-30' }, 'to'],
    [{ from: '2026-01-31', to: '2026-01-31' }, 'to'],
    [{ from: '2026-02-01', to: '2026-01-31' }, 'to'],
    [{ from: '2026-01-01', to: '2026-02-02', bucket: 'hour' }, 'to'],
    [{ from: '2024-01-01', to: '2025-01-02', bucket: 'day' }, 'to'],
    [{ from: '2026-01-01', to: '2026-01-02', bucket: 'week' }, 'bucket'],
    [{ from: '2026-01-01', to: '2026-01-02', deviceId: 'x' }, 'deviceId'],
  ])('reject %j and name the field', async (query, field) => {
    const answer = await get(query);
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.objectContaining({ details: [expect.objectContaining({ field })] }),
    ]);
  });

  it('separate the days of a period, and add each once', async () => {
    await receive('today');
    await receive('yesterday');
    const yesterday = new Date(Date.now() - DAY);
    await service
      .collection('messages')
      .updateOne({ user: client.user, message: 'yesterday' }, { $set: { countedAt: yesterday } });
    const query = { ...around('day'), from: iso(Date.now() - 2 * DAY) };
    for (let round = 0; round < 3; round++) {
      const received = (await series(query)).filter((point) => point.received > 0);
      expect(received.map(({ at }) => at.slice(0, 10))).toEqual(
        [yesterday, new Date()].map((day) => day.toISOString().slice(0, 10)),
      );
      expect(received.map((point) => point.received)).toEqual([1, 1]);
      await close();
    }
    const ids = (await service.collection('daycounts').find({ user: client.user }).toArray()).map(
      ({ _id }) => _id,
    );
    expect(ids).toHaveLength(4);
  });

  it.each(['listDays', 'countAll'] as const)(
    'are exact when periods are closed before %s',
    async (method) => {
      await receive('one');
      await close();
      await receive('two');
      const paused = pauseNextCall(service, TotalsRepository, method);
      const reading = series(around('hour'));
      await paused.reached;
      await close();
      await close();
      paused.release(false);
      expect(sum(await reading)).toEqual([2, 0, 0, 0, 0]);
    },
  );

  it('read a year of days at once', async () => {
    await receive('today');
    await close();
    const owners = [client.user, new Types.ObjectId(device)];
    const today = iso(Date.now()).slice(0, 10);
    const days = Array.from({ length: 364 }, (_, index) => new Date(Date.parse(today) - (index + 1) * DAY));
    const hours = Object.fromEntries(Array.from({ length: 24 }, (_, hour) => [hour, hour * 7]));
    const counts = { received: hours, sent: hours, delivered: hours, failed: hours, cancelled: hours };
    await service.collection('daycounts').insertMany(
      days.flatMap((day) =>
        owners.map((owner) => ({
          _id: dayCountsId(owner, day) as never,
          user: client.user,
          through: new Date(day.getTime() + DAY),
          counts,
        })),
      ),
    );
    const query = { from: iso(days.at(-1)?.getTime() ?? 0), to: iso(Date.now()), bucket: 'day' };
    const each = Object.values(hours).reduce((total, count) => total + count, 0);
    const stored = days.map((day) => dayCountsId(new Types.ObjectId(device), day) as never);
    const cpuMs: number[] = [];
    const readCpuMs: number[] = [];
    for (let run = 0; run < 15; run++) {
      const begun = process.cpuUsage();
      const points = await series(query);
      cpuMs.push(cpuMsSince(begun));
      expect(sum(points)).toEqual([364 * each + 1, ...Array<number>(4).fill(364 * each)]);
      const beforeRead = process.cpuUsage();
      await service
        .collection('daycounts')
        .find({ _id: { $in: stored } })
        .toArray();
      readCpuMs.push(cpuMsSince(beforeRead));
    }
    // Compared with reading as many documents, because the time depends on the machine, and in CPU time, because it depends on its load.
    expect(Math.min(...cpuMs)).toBeLessThan(20 + 5 * Math.min(...readCpuMs));
  });
});

function cpuMsSince(begun: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / 1_000;
}
