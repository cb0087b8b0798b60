import { TestClient } from '../support/client';
import { TestService } from '../support/service';

describe('billing', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await TestService.start();
  });
  afterAll(() => service.stop());

  async function subscriber(plan: string): Promise<TestClient> {
    const client = await service.newAccount();
    await service.collection('accounts').updateOne({ _id: client.user }, { $set: { plan } });
    return client;
  }

  const current = async (client: TestClient) => {
    const answer = await client.get('/billing/current-subscription');
    expect(answer.status).toBe(200);
    return answer.body as { usage: Record<string, number>; [field: string]: unknown };
  };

  it('lists the plans', async () => {
    const answer = await (await service.newAccount()).get('/billing/plans');
    const { data } = answer.body as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toEqual(['free', 'pro', 'unlimited']);
    expect(data[0]).toEqual({
      name: 'free',
      displayName: 'Free',
      dailyLimit: 50,
      monthlyLimit: 300,
      bulkSendLimit: 50,
    });
  });

  it('returns usage and remaining messages, without an envelope', async () => {
    const client = await subscriber('free');
    const device = await client.newDevice();
    await client.send(Array.from({ length: 19 }, (_, index) => `+49151000000${index + 10}`));
    await client.post(`/gateway/devices/${device}/receive-sms`, { sender: '+4915100', message: 'Hello' });
    const subscription = await current(client);
    const now = service.clock.now();
    const month = (offset: number) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString();
    expect(subscription).toEqual({
      plan: { name: 'free', displayName: 'Free', dailyLimit: 50, monthlyLimit: 300, bulkSendLimit: 50 },
      isActive: true,
      currentPeriodStart: month(0),
      currentPeriodEnd: month(1),
      usage: {
        processedSmsToday: 20,
        processedSmsLastMonth: 20,
        dailyLimit: 50,
        monthlyLimit: 300,
        bulkSendLimit: 50,
        dailyRemaining: 30,
        monthlyRemaining: 280,
        dailyUsagePercentage: 40,
        monthlyUsagePercentage: 6,
      },
    });
  });

  it('returns -1 as the remaining messages of an unlimited plan', async () => {
    const client = await service.newAccount();
    await client.newDevice();
    await client.send(['+4915112345678']);
    const { plan, usage } = await current(client);
    expect(plan).toEqual({
      name: 'unlimited',
      displayName: 'Unlimited',
      dailyLimit: -1,
      monthlyLimit: -1,
      bulkSendLimit: -1,
    });
    expect(usage).toEqual({
      processedSmsToday: 1,
      processedSmsLastMonth: 1,
      dailyLimit: -1,
      monthlyLimit: -1,
      bulkSendLimit: -1,
      dailyRemaining: -1,
      monthlyRemaining: -1,
      dailyUsagePercentage: 0,
      monthlyUsagePercentage: 0,
    });
  });

  it('returns the usage of the caller and rejects unauthenticated requests', async () => {
    const [one, other] = [await subscriber('free'), await subscriber('free')];
    await one.newDevice();
    await one.send(['+4915112345678']);
    expect((await current(other)).usage.processedSmsToday).toBe(0);
    for (const path of ['/billing/plans', '/billing/current-subscription']) {
      const answer = await new TestClient(service.url, 'not a key', one.user).get(path);
      expect([answer.status, answer.body]).toEqual([401, { error: 'Unauthorized', code: 'AUTH_INVALID' }]);
    }
  });
});
