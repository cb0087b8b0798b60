import { TestClient } from '../support/client';
import { TestService } from '../support/service';

const DAY_MS = 86_400_000;

describe('plan usage of scheduled sends', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' } });
    await service.collection('plans').insertMany([
      { _id: 'days', displayName: 'Days', dailyLimit: 3, monthlyLimit: -1, bulkSendLimit: -1 },
      { _id: 'months', displayName: 'Months', dailyLimit: -1, monthlyLimit: 5, bulkSendLimit: -1 },
    ] as never[]);
    service.clock.advance(11_000); // expires the cached plans
  });
  beforeEach(async () => {
    // Noon of the tenth, so that no test crosses midnight or a month.
    const now = service.clock.now();
    const noon = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 10, 12);
    service.clock.advance(noon - now.getTime());
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterAll(() => service.stop());

  const onPlan = (plan: string) =>
    service.collection('accounts').updateOne({ _id: client.user }, { $set: { plan } });
  const numbers = (count: number) =>
    Array.from({ length: count }, (_, index) => `+4915${10_000_000 + index}`);
  const inDays = (days: number) => new Date(service.clock.now().getTime() + days * DAY_MS);
  const dayIn = (days: number) => inDays(days).toISOString().slice(0, 10);
  const send = (count: number, days?: number, key = '') =>
    client
      .post('/gateway/send-sms', {
        message: 'x',
        recipients: numbers(count),
        ...(days !== undefined && { scheduledAt: inDays(days).toISOString() }),
      })
      .set(key ? { 'Idempotency-Key': key } : {});
  const batchOf = async (sending: ReturnType<typeof send>) => {
    const answer = await sending;
    expect([answer.status, answer.body]).toMatchObject([200, {}]);
    return (answer.body as { data: { smsBatchId: string } }).data.smsBatchId;
  };
  const cancel = (batch: string) => client.post(`/gateway/devices/${device}/sms-batch/${batch}/cancel`);
  const stored = async () => {
    const usage = await service.collection('usages').findOne({ _id: client.user });
    return {
      day: usage?.dayCount as number,
      month: usage?.monthCount as number,
      days: usage?.days as unknown,
    };
  };
  const shown = async () => {
    const { usage } = (await client.get('/billing/current-subscription')).body as {
      usage: Record<string, number>;
    };
    return [usage.processedSmsToday, usage.processedSmsLastMonth];
  };

  it('is charged to the day of the send, and refused over the limit of that day', async () => {
    await onPlan('days');
    await batchOf(send(3, 2));
    const refused = await send(1, 2);
    expect([refused.status, refused.body]).toMatchObject([
      429,
      { code: 'PLAN_LIMIT_REACHED', limit: 'daily', dailyRemaining: 0, hasReachedLimit: true },
    ]);
    expect((refused.body as { message: string }).message).toContain(`on ${dayIn(2)}`);
    expect(refused.headers).not.toHaveProperty('retry-after');
    await batchOf(send(3)); // today is not charged
    expect((await send(1)).status).toBe(429);
    await batchOf(send(3, 3));
    expect(await stored()).toEqual({ day: 3, month: 3, days: { [dayIn(2)]: 3, [dayIn(3)]: 3 } });
    expect(await shown()).toEqual([3, 9]);
  });

  it('counts on that day, whichever write is first', async () => {
    await onPlan('days');
    await batchOf(send(2, 1));
    service.clock.advance(DAY_MS);
    expect(await shown()).toEqual([2, 2]);
    expect((await send(2)).status).toBe(429);
    await batchOf(send(1));
    expect(await stored()).toEqual({ day: 3, month: 3, days: {} });
    expect((await send(1)).status).toBe(429);
  });

  it('is charged to the month of the send', async () => {
    await onPlan('months');
    await batchOf(send(5, 25));
    expect((await send(1, 26)).status).toBe(429);
    await batchOf(send(4));
    await batchOf(send(1, 3));
    const refused = await send(1, 4);
    expect([refused.status, refused.body]).toMatchObject([429, { limit: 'monthly', monthlyRemaining: 0 }]);
    expect(await shown()).toEqual([4, 5]);
    service.clock.advance(25 * DAY_MS);
    expect(await shown()).toEqual([5, 5]);
    expect((await send(1)).status).toBe(429);
  });

  it('of a bulk send is charged to each day, all or nothing', async () => {
    await onPlan('days');
    const entry = (count: number, days: number) => ({
      message: 'x',
      recipients: numbers(count),
      scheduledAt: inDays(days).toISOString(),
    });
    const bulk = (...messages: object[]) => client.post('/gateway/send-bulk-sms', { messages });
    expect((await bulk(entry(2, 1), entry(4, 2))).status).toBe(429);
    expect((await stored()).days ?? {}).toEqual({});
    expect((await bulk(entry(2, 1), entry(3, 2), { message: 'x', recipients: numbers(1) })).status).toBe(200);
    expect(await stored()).toEqual({ day: 1, month: 1, days: { [dayIn(1)]: 2, [dayIn(2)]: 3 } });
  });

  it('is refunded to that day once when the send is cancelled', async () => {
    await onPlan('days');
    await batchOf(send(1));
    const batch = await batchOf(send(3, 2));
    for (let run = 0; run < 2; run++) {
      await cancel(batch);
      expect(await stored()).toEqual({ day: 1, month: 1, days: { [dayIn(2)]: 0 } });
    }
    await batchOf(send(3, 2));
    expect((await send(1, 2)).status).toBe(429);
  });

  it('is also refunded after the day has begun', async () => {
    const batch = await batchOf(send(3, 1.2));
    service.clock.advance(DAY_MS);
    await batchOf(send(1));
    expect(await stored()).toEqual({ day: 4, month: 4, days: {} });
    await cancel(batch);
    expect(await stored()).toEqual({ day: 1, month: 1, days: {} });
  });

  it('never exceeds the limit of a day, even with concurrent sends', async () => {
    await onPlan('days');
    await batchOf(send(1));
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(1, 2)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(await stored()).toMatchObject({ day: 1, days: { [dayIn(2)]: 3 } });
  });

  it('is stored for at most 31 days without past days', async () => {
    for (let days = 1; days < 30; days++) await batchOf(send(1, days));
    expect(Object.keys((await stored()).days as object)).toHaveLength(29);
    service.clock.advance(20 * DAY_MS);
    for (let days = 0.1; days < 30; days++) await batchOf(send(1, days));
    expect(Object.keys((await stored()).days as object).length).toBeLessThanOrEqual(31);
  });
});
