import { Recounts } from '../../src/common/upkeep/recounts.service';
import { UsageRecount } from '../../src/gateway/recounts/usage.recount';
import { RetentionScheduler } from '../../src/gateway/retention/retention.scheduler';
import type { Usage } from '../../src/billing/usage/usage.schema';
import { TestClient } from '../support/client';
import { ScriptedTransport } from '../support/scripted-transport';
import { TestService } from '../support/service';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('removal of scheduled sends reported before their day', () => {
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
    jest.spyOn(service.get(Recounts), 'settle').mockResolvedValue();
    // Noon of the 25th of a month with 30 or 31 days.
    const now = service.clock.now();
    const next = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 25, 12));
    if (next.getUTCMonth() === 1) next.setUTCMonth(2);
    service.clock.advance(next.getTime() - now.getTime());
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => service.stop());

  const recipients = (count: number) =>
    Array.from({ length: count }, (_, index) => `+4915${100_000 + index}`);
  const dayAfter = (days: number) => new Date(service.clock.now().getTime() + days * DAY);
  const keyOf = (time: Date) => time.toISOString().slice(0, 10);

  async function sendReported(count: number, scheduledAt: Date): Promise<void> {
    const batch = await client.send(recipients(count), { scheduledAt: scheduledAt.toISOString() });
    for (const { _id } of (await client.batch(device, batch)).messages) {
      await client.report(device, _id, 'SENT');
    }
    await service
      .collection('messages')
      .updateMany({ user: client.user }, { $set: { outbox: [] }, $unset: { relayDueAt: 1 } });
  }

  async function removeOld(): Promise<void> {
    service.clock.advance(2 * DAY + HOUR);
    await service.get(RetentionScheduler).sweep();
    expect(await service.collection('batches').countDocuments({ user: client.user })).toBe(0);
  }

  const look = () => service.get(UsageRecount).look(client.user);
  const stored = () => service.collection('usages').findOne<Usage>({ _id: client.user });
  const used = async () => {
    const { body } = (await client.get('/billing/current-subscription')) as {
      body: { usage: { processedSmsToday: number; processedSmsLastMonth: number } };
    };
    return [body.usage.processedSmsToday, body.usage.processedSmsLastMonth];
  };

  it('keeps the charges of later days, in this month and the next', async () => {
    const [soon, nextMonth] = [dayAfter(4), dayAfter(12)];
    await sendReported(2, soon);
    await sendReported(3, nextMonth);
    await removeOld();
    await sendReported(4, nextMonth);
    expect(await look()).toBe('right');
    await removeOld(); // now it is the day of the first
    expect(keyOf(service.clock.now())).toBe(keyOf(soon));
    expect((await stored())?.removedDays).toEqual({ [keyOf(soon)]: 2, [keyOf(nextMonth)]: 7 });
    expect(await look()).toBe('right');
    expect(await used()).toEqual([2, 2]);

    // The first charge of the day includes its reservations.
    await client.send(recipients(1));
    expect(await look()).toBe('right');
    await service
      .collection('usages')
      .updateOne({ _id: client.user }, { $inc: { dayCount: -1, monthCount: 2 }, $set: { days: {} } });
    await service.get(Recounts).mend(service.get(UsageRecount), [client.user]);
    expect(await used()).toEqual([3, 3]);
    expect((await stored())?.days).toEqual({ [keyOf(nextMonth)]: 7 });

    service.clock.advance(nextMonth.getTime() - service.clock.now().getTime());
    await client.send(recipients(1));
    expect(await used()).toEqual([8, 8]);
    expect(await look()).toBe('right');
  });

  it('drops the days of a past month', async () => {
    const today = dayAfter(2);
    await sendReported(2, today);
    await removeOld();
    expect((await stored())?.removedDays).toEqual({ [keyOf(today)]: 2 });
    service.clock.advance(8 * DAY);
    const later = dayAfter(10);
    await sendReported(1, later);
    await removeOld();
    expect((await stored())?.removedDays).toEqual({ [keyOf(later)]: 1 });
    expect(await look()).toBe('right');
    expect(await used()).toEqual([0, 1]);
  });
});
