import { Types } from 'mongoose';
import { dayCounts } from '../../src/migrations/0005-day-counts';
import { MigrationsRepository } from '../../src/migrations/migrations.repository';
import { TestClient } from '../support/client';
import { TestService } from '../support/service';

describe('migration 0005-day-counts', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const readDays = async () => {
    const query = 'from=2026-01-30&to=2026-02-02&bucket=hour';
    const owners = ['', `&deviceId=${device}`];
    const answers = await Promise.all(
      owners.map((owner) => client.get(`/gateway/stats/series?${query}${owner}`)),
    );
    return answers.map(({ body }) =>
      (body as { data: { at: string; sent: number; failed: number }[] }).data
        .filter(({ sent, failed }) => sent + failed > 0)
        .map(({ at, sent, failed }) => [at.slice(0, 13), sent, failed]),
    );
  };

  it('keeps the counts of all days, and continues after an interruption before any batch', async () => {
    const hours = Array.from({ length: 24 }, (_, hour) => (hour === 7 ? 5 : 0));
    const none = hours.map(() => 0);
    const owners = [client.user, new Types.ObjectId(device)];
    const through = new Date(Date.now() - 60_000);
    await service.collection('daycounts').insertMany(
      owners.map((owner) => ({
        _id: `${owner.toHexString()}:2026-01-30` as never,
        user: client.user,
        ...{ received: none, sent: hours, delivered: none, failed: none },
      })),
    );
    await service.collection('totals').insertMany(
      owners.map((_id) => ({
        ...{ _id, user: client.user, through, sent: 12, received: 0 },
        days: { '2026-01-31': { sent: { 23: 4 } }, '2026-02-01': { sent: { 0: 3 }, failed: { 1: 2 } } },
      })),
    );
    const { db } = service.get(MigrationsRepository);
    for (let runs = 0, isDone = false; !isDone; runs++) {
      let left = runs;
      const checkpoint = () => {
        if (left-- === 0) throw new Error('interrupted');
      };
      isDone = await dayCounts.run({ db, checkpoint }).then(
        () => true,
        () => false,
      );
    }
    const expected = [
      ['2026-01-30T07', 5, 0],
      ['2026-01-31T23', 4, 0],
      ['2026-02-01T00', 3, 0],
      ['2026-02-01T01', 0, 2],
    ];
    expect(await readDays()).toEqual([expected, expected]);
    await dayCounts.run({ db, checkpoint: () => undefined });
    expect(await readDays()).toEqual([expected, expected]);
    expect(await service.collection('totals').countDocuments({ days: { $exists: true } })).toBe(0);
  });
});
