import { getConnectionToken } from '@nestjs/mongoose';
import { registrationBody } from 'messaging-gateway-phone';
import { type Connection, Types } from 'mongoose';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SIMS = { simInfo: { sims: [{ subscriptionId: 1, simSlotIndex: 0, carrierName: 'Vodafone' }] } };
const numbers = (count: number) => Array.from({ length: count }, (_, index) => `+4915${10_000_000 + index}`);

interface ProblemJson {
  readonly code: string;
  readonly since?: string;
  readonly until?: string;
  readonly waitingMessages?: number;
  readonly subject: { readonly type: string; readonly id?: string; readonly name: string };
}

interface QueueJson {
  readonly messages: number;
  readonly parts: number;
  readonly endsAt?: string;
  readonly isLowerBound: boolean;
  readonly sims: {
    readonly device: string;
    readonly sim?: string;
    readonly messages: number;
    readonly parts: number;
    readonly heldBack: { readonly reason: string; readonly count: number; readonly until?: string }[];
    readonly endsAt?: string;
  }[];
}

describe('the overview', () => {
  let service: TestService;
  let transport: ScriptedTransport;
  let client: TestClient;
  let device: string;

  // No worker and no timer runs: each test calls the steps it needs.
  beforeAll(async () => {
    transport = new ScriptedTransport();
    service = await TestService.start({ environment: { APP_ROLES: 'api,scheduler' }, transport });
    service.stopTimers();
    service.clock.stop();
  });
  beforeEach(async () => {
    transport.resultOf = () => ({ outcome: 'accepted' });
    client = await service.newAccount();
    device = await client.newDevice({ ...SIMS, name: 'Front desk' });
  });
  afterAll(() => service.stop());

  const dataOf = async <Data>(path: string, by: Pick<TestClient, 'get'> = client) => {
    const answer = await by.get(path);
    expect([answer.status, answer.body]).toMatchObject([200, {}]);
    return (answer.body as { data: Data }).data;
  };
  const problems = (by?: TestClient) => dataOf<ProblemJson[]>('/gateway/problems', by);
  const codes = async () => (await problems()).map(({ code }) => code);
  const queue = (by?: TestClient) => dataOf<QueueJson>('/gateway/queue', by);
  const health = async () =>
    (await dataOf<{ health: { state: string; reasons: { code: string }[] } }>(`/gateway/devices/${device}`))
      .health;
  const simOf = async (by = client) => (await dataOf<{ _id: string }[]>('/gateway/sims', by))[0]?._id ?? '';
  const heartbeat = (fields: object = {}) => client.post(`/gateway/devices/${device}/heartbeat`, fields);
  const dispatch = (batch: string) => dispatchWave(service, batch);
  const inMs = (ms: number) => new Date(service.clock.now().getTime() + ms).toISOString();

  // First, because messages count at the time of the database, from which other tests move the clock away.
  it('counts the month with what the plan has used', async () => {
    const batch = await client.send(numbers(3), { deviceId: device });
    const later = { deviceId: device, scheduledAt: inMs(HOUR) };
    const cancelled = await client.send(numbers(2), later);
    await client.post(`/gateway/devices/${device}/sms-batch/${cancelled}/cancel`);
    const { messages } = await client.batch(device, batch);
    const [sent, delivered, failed] = messages.map(({ _id }) => _id);
    await client.report(device, sent ?? '', 'SENT');
    await client.report(device, delivered ?? '', 'DELIVERED');
    await client.report(device, failed ?? '', 'FAILED', { errorCode: 'X' });
    const sms = { sender: '+4930', message: 'Yes', receivedAtInMillis: service.clock.now().getTime() };
    await client.post(`/gateway/devices/${device}/receive-sms`, sms);
    const month = await dataOf<Record<string, unknown>>('/gateway/stats/month');
    const now = service.clock.now();
    expect(month).toEqual({
      from: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)).toISOString(),
      resetsAt: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString(),
      sent: 2,
      delivered: 1,
      failed: 1,
      cancelled: 2,
      suppressed: 0,
      received: 1,
      used: 4,
      left: null,
    });
  });

  describe('problems', () => {
    it('are none on an account whose phone works, and start with pairing one', async () => {
      expect(await problems()).toEqual([]);
      expect(await health()).toEqual({ state: 'ok', reasons: [] });
      await client.delete(`/gateway/devices/${device}`);
      expect(await codes()).toEqual(['no_phone']);
    });

    it('tell that a phone is silent, since when and how many messages wait, and end when it is back', async () => {
      await heartbeat({ heartbeatEnabled: true });
      const handed = await client.send(numbers(2), { deviceId: device });
      await dispatch(handed);
      await client.send(numbers(3), { deviceId: device, scheduledAt: inMs(DAY) });
      client.closeStream(device);
      const silentFrom = service.clock.now().getTime();
      service.clock.advance(2 * HOUR);
      const [problem, ...others] = await eventually(problems, ([first]) => first?.code === 'phone_offline');
      expect(others).toEqual([]);
      expect(problem).toMatchObject({
        code: 'phone_offline',
        waitingMessages: 5,
        subject: { type: 'device', id: device, name: 'Front desk' },
      });
      expect(Date.parse(problem?.since ?? '')).toBeGreaterThan(silentFrom);
      expect(await health()).toMatchObject({ state: 'error', reasons: [{ code: 'phone_offline' }] });
      await heartbeat();
      expect(await problems()).toEqual([]);
    });

    it('of power, as the heartbeat reports it', async () => {
      await heartbeat({ isIgnoringBatteryOptimizations: false, batteryPercentage: 9, isCharging: false });
      expect(await codes()).toEqual(['battery_optimization_on', 'battery_low']);
      expect(await health()).toMatchObject({ state: 'warning' });
      await heartbeat({ isIgnoringBatteryOptimizations: true, batteryPercentage: 9, isCharging: true });
      expect(await problems()).toEqual([]);
    });

    it('of a SIM near and at its limit, until the limit resets', async () => {
      const sim = await simOf();
      await client.patch(`/gateway/sims/${sim}`, { limits: { messagesPerDay: 5, timeZone: 'UTC' } });
      await dispatch(await client.send(numbers(4), { deviceId: device }));
      expect(await problems()).toMatchObject([
        {
          code: 'sim_limit_near',
          severity: 'info',
          subject: { type: 'sim', id: sim, name: 'Vodafone SIM in slot 1' },
        },
      ]);
      await dispatch(await client.send(numbers(1), { deviceId: device }));
      const [reached] = await problems();
      const nextDay = new Date((Math.floor(service.clock.now().getTime() / DAY) + 1) * DAY);
      expect(reached).toMatchObject({
        code: 'sim_limit_reached',
        severity: 'info',
        until: nextDay.toISOString(),
      });
      expect(await health()).toEqual({ state: 'ok', reasons: [] });
      service.clock.advance(DAY);
      expect(await codes()).not.toContain('sim_limit_reached');
    });

    it('tell that a draining phone is done, once all is reported', async () => {
      const batch = await client.send(numbers(1), { deviceId: device });
      await client.post(`/gateway/devices/${device}/drain`);
      // No other phone takes messages.
      expect(await codes()).toEqual(['no_enabled_phone']);
      await dispatch(batch);
      const [message] = (await client.batch(device, batch)).messages;
      await client.post(`/gateway/devices/${device}/messages/ack`, { smsIds: [message?._id] });
      expect(await codes()).toEqual(['no_enabled_phone']);
      await client.report(device, message?._id ?? '', 'SENT');
      expect(await codes()).toEqual(['no_enabled_phone', 'phone_drained']);
      await client.delete(`/gateway/devices/${device}/drain`);
      expect(await codes()).toEqual([]);
    });

    it('of a pool, a webhook, the e-mail address and the plan', async () => {
      const sim = await simOf();
      await client.post('/gateway/pools', { name: 'All', sims: [sim], strategy: 'sticky' });
      await client.patch(`/gateway/sims/${sim}`, { enabled: false });
      const webhook = await client.post('/webhooks', {
        name: 'Orders',
        deliveryUrl: 'https://example.com/hook',
        signingSecret: 'a-secret-of-this-webhook-1234',
        events: ['MESSAGE_SENT'],
      });
      expect(webhook.status).toBe(201);
      await service
        .collection('webhooksubscriptions')
        .updateOne(
          { user: client.user },
          { $set: { failingSince: service.clock.now(), failingAttempts: 7 } },
        );
      await service.collection('plans').insertOne({
        _id: 'none' as never,
        displayName: 'None',
        dailyLimit: 0,
        monthlyLimit: -1,
        bulkSendLimit: -1,
      });
      const account = { _id: client.user };
      await service
        .collection('accounts')
        .updateOne(account, { $set: { plan: 'none' }, $unset: { emailVerifiedAt: 1 } });
      service.clock.advance(11_000); // expires the cached plans
      expect(await codes()).toEqual(['email_unverified', 'plan_used_up', 'webhook_failing', 'pool_paused']);
    });

    it('are those of the account alone', async () => {
      await heartbeat({ batteryPercentage: 1, isCharging: false });
      const other = await service.newAccount();
      await other.newDevice(SIMS);
      expect(await problems(other)).toEqual([]);
      expect((await problems()).map(({ subject }) => subject.id)).toEqual([device]);
    });

    it('are read by a number of queries that does not depend on what the account has', async () => {
      const uri = new URL(service.environment.MONGODB_URI ?? '');
      uri.searchParams.set('monitorCommands', 'true');
      const environment = { APP_ROLES: 'api', MONGODB_URI: uri.href };
      const watched = await TestService.start({ shared: service, environment });
      let queries = 0;
      const connection = watched.app.get<Connection>(getConnectionToken(), { strict: false });
      connection.getClient().on('commandStarted', ({ commandName }: { commandName: string }) => {
        if (['find', 'aggregate'].includes(commandName)) queries += 1;
      });
      /** The least of several calls, because some values are cached for a time. */
      const count = async () => {
        const calls: { queries: number; problems: number }[] = [];
        for (let call = 0; call < 3; call++) {
          queries = 0;
          const found = await problems(client.at(watched.url));
          calls.push({ queries, problems: found.length });
        }
        return { problems: calls[0]?.problems, queries: Math.min(...calls.map((call) => call.queries)) };
      };
      const makeTrouble = async () => {
        const [id, draining] = [await client.newDevice(SIMS), await client.newDevice(SIMS)];
        await client.post(`/gateway/devices/${draining}/drain`);
        await client.send(numbers(1), { deviceId: id, scheduledAt: inMs(DAY) });
        await service
          .collection('devices')
          .updateOne({ _id: new Types.ObjectId(id) }, { $set: { unansweredSince: service.clock.now() } });
        await service
          .collection('sims')
          .updateMany({ user: client.user }, { $set: { limits: { messagesPerDay: 100 } } });
      };
      await makeTrouble();
      const few = await count();
      for (let n = 0; n < 4; n++) await makeTrouble();
      const many = await count();
      expect(many.problems).toBe(5 * (few.problems ?? 0));
      expect(many.queries).toBe(few.queries);
      expect(many.queries).toBeLessThanOrEqual(15);
      await watched.stop();
    });
  });

  describe('the queue', () => {
    it('counts messages and parts by SIM, with the end at the pace of the phone', async () => {
      const sim = await simOf();
      await client.send(numbers(3), { deviceId: device });
      const text = 'a'.repeat(161);
      await client.send(numbers(2), { deviceId: device, message: text });
      const found = await queue();
      expect(found).toMatchObject({ messages: 5, parts: 7, isLowerBound: false });
      expect(found.sims).toEqual([
        { device, sim, messages: 5, parts: 7, heldBack: [], endsAt: found.endsAt },
      ]);
      // Five seconds between messages of one or two parts.
      expect(found.endsAt).toBe(inMs(5 * 5_000));
      expect(await queue(await service.newAccount())).toEqual({
        messages: 0,
        parts: 0,
        isLowerBound: false,
        sims: [],
      });
    });

    it('tells what is held back and why; it ends after the days that the limits need', async () => {
      const sim = await simOf();
      await client.patch(`/gateway/sims/${sim}`, { limits: { messagesPerDay: 2, timeZone: 'UTC' } });
      await dispatch(await client.send(numbers(7), { deviceId: device }));
      const paused = await client.send(numbers(1), { deviceId: device });
      await client.post(`/gateway/batches/${paused}/pause`);
      const found = await queue();
      const midnight = (Math.floor(service.clock.now().getTime() / DAY) + 1) * DAY;
      expect(found.sims).toMatchObject([
        {
          sim,
          messages: 6,
          heldBack: [
            { reason: 'messages_per_day', count: 5, until: new Date(midnight).toISOString() },
            { reason: 'paused', count: 1 },
          ],
        },
      ]);
      // Two a day: the fifth leaves on the third day.
      expect(found.endsAt).toBe(new Date(midnight + 2 * DAY + 5_000).toISOString());
    });

    it('has what a phone chooses the SIM of under the phone, and nothing that was handed over', async () => {
      const two = await client.newDevice({
        simInfo: { sims: [1, 2].map((id) => ({ subscriptionId: id, simSlotIndex: id - 1 })) },
      });
      const batch = await client.send(numbers(2), { deviceId: two });
      const { sims } = await queue();
      expect(sims).toMatchObject([{ device: two, messages: 2 }]);
      expect(sims[0]).not.toHaveProperty('sim');
      await dispatch(batch);
      expect((await queue()).messages).toBe(0);
    });

    it('counts an encrypted text with its largest size', async () => {
      const phone = await client.newDevice({ supportsEncryption: true });
      const encrypted = { encrypted: true, encryptedMessage: 'A'.repeat(400) };
      const send = { ...encrypted, recipients: numbers(2), deviceId: phone };
      expect((await client.post('/gateway/send-sms', send)).status).toBe(200);
      // 400 characters of base64 hold up to 300 characters of UCS-2: five parts.
      expect(await queue()).toMatchObject({ messages: 2, parts: 10 });
    });
  });

  it('has virtual phones, for which a session uploads a received message', async () => {
    const handset = { name: 'Virtual', serial: 'virtual', sendDelaySeconds: 0, receiveSmsEnabled: true };
    await client.newDevice(registrationBody(handset));
    const devices = await dataOf<{ _id: string; isVirtual: boolean }[]>('/gateway/devices');
    expect(devices.map(({ isVirtual }) => isVirtual)).toEqual([false, true]);
    const id = devices[1]?._id ?? '';
    const session = await service.signIn(client);
    const sms = { sender: '+447700900123', message: 'Yes, please' };
    const answer = await session.post(`/gateway/devices/${id}/receive-sms`, sms);
    expect([answer.status, answer.body]).toMatchObject([200, { data: { ignored: false } }]);
    const received = await dataOf<object[]>('/gateway/messages?type=received');
    expect(received).toMatchObject([
      { sender: '+447700900123', message: 'Yes, please', device: { _id: id } },
    ]);
    const stranger = await service.signIn(await service.newAccount());
    expect((await stranger.post(`/gateway/devices/${id}/receive-sms`, sms)).status).toBe(404);
  });
});
