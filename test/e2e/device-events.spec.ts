import { Types } from 'mongoose';
import { VirtualPhone } from 'messaging-gateway-phone';
import { ConnectionRecorder } from '../../src/devices/connection/connection-recorder.service';
import { PhonesScheduler } from '../../src/phones/phones.scheduler';
import { DatabaseStatsService } from '../../src/ops/database-stats.service';
import { OperationalEventsScheduler } from '../../src/webhooks/relay/operational-events.scheduler';
import { OperationalRelayService } from '../../src/webhooks/relay/operational-relay.service';
import { WebhooksScheduler } from '../../src/webhooks/recovery/webhooks.scheduler';
import { crashAfterSteps } from '../support/crash-after-steps';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { WebhookOwner } from '../support/webhook-owner';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';

const environment = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
const DEVICE_EVENTS = ['DEVICE_OFFLINE', 'DEVICE_ONLINE'];
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('the events of devices', () => {
  let first: TestService;
  let second: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;

  beforeAll(async () => {
    first = await TestService.start({ environment });
    second = await TestService.start({
      shared: first,
      environment: { ...environment, APP_ROLES: 'scheduler' },
    });
    for (const service of [first, second]) service.stopTimers();
  });
  beforeEach(async () => {
    await first.collection('devices').deleteMany({});
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.create(first);
  });
  afterEach(() => receiver.stop());
  afterAll(async () => {
    await second.stop();
    await first.stop();
  });

  const check = async () => {
    await first.get(ConnectionRecorder).flush();
    await Promise.all([first, second].map((service) => service.get(PhonesScheduler).checkConnections()));
  };
  const relay = () =>
    Promise.all([first, second].map((service) => service.get(OperationalEventsScheduler).sweep()));
  /** Lets time pass, as the timers of both processes would. */
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 15 * SECOND) {
      first.clock.advance(Math.min(left, 15 * SECOND));
      await check();
      await relay();
    }
  };
  const devices = () => first.collection('devices');
  /** Without repetitions: a delivery during which the clock was moved may be repeated, with the same key. */
  const received = () => [
    ...new Map(receiver.received.map(({ event }) => [event.idempotencyKey, event])).values(),
  ];
  const events = () => received().map(({ webhookEvent }) => webhookEvent);
  const untilPosted = (count: number) => eventually(events, ({ length }) => length >= count);
  const heartbeat = () => owner.client.post(`/gateway/devices/${owner.device}/heartbeat`).expect(200);
  /** Its heartbeats are missed from now on. */
  const silence = async () => {
    await heartbeat();
    await check();
    first.clock.advance(60 * MINUTE);
  };
  const storedOutbox = async () => (await devices().findOne({}))?.outbox as object[] | undefined;

  it('reach subscribers once, although several processes check a phone that freezes and comes back', async () => {
    const others = await WebhookReceiver.start();
    await owner.subscribe(receiver, { events: DEVICE_EVENTS });
    await owner.subscribe(others, { events: ['MESSAGE_RECEIVED', 'MESSAGE_SENT', 'SMS_STATUS_UPDATED'] });
    const { apiKey } = owner.client;
    const phone = new VirtualPhone({ baseUrl: first.url, apiKey, name: 'Front desk', sendDelaySeconds: 0 });
    await phone.start();
    try {
      await phone.until('heartbeats', 1);
      await eventually(
        () => devices().findOne({ name: 'Front desk' }),
        (found) => found?.stream !== undefined,
      );
      phone.pauseAcks();
      phone.pauseReports();
      first.clock.advance(SECOND);
      await owner.client.send(['+4915112345678'], { deviceId: phone.deviceId });
      await phone.until('offered', 1);
      await check();
      await pass(3 * MINUTE);
      await untilPosted(1);
      const answer = await owner.client.get(`/gateway/devices/${phone.deviceId}`);
      const frozen = (answer.body as { data: { connection: object; lastContactAt: string } }).data;
      expect(received()).toEqual([
        {
          deviceId: phone.deviceId,
          webhookSubscriptionId: expect.any(String) as string,
          webhookEvent: 'DEVICE_OFFLINE',
          idempotencyKey: expect.any(String) as string,
          name: 'Front desk',
          brand: expect.any(String) as string,
          model: expect.any(String) as string,
          ...frozen.connection,
          lastContactAt: frozen.lastContactAt,
          pendingCount: 1,
        },
      ]);
      expect(frozen.connection).toMatchObject({ state: 'unresponsive' });

      phone.resumeAcks();
      phone.resumeReports();
      await phone.until('sent', 1);
      await pass(3 * MINUTE);
      await untilPosted(2);
      await pass(3 * MINUTE);
      expect(events()).toEqual(DEVICE_EVENTS);
      expect(received()[1]).toMatchObject({ state: 'online', pendingCount: 0 });
      await eventually(
        () => others.received.map(({ event }) => event.webhookEvent),
        (posted) => posted.includes('MESSAGE_SENT'),
      );
      expect(others.received.filter(({ event }) => DEVICE_EVENTS.includes(event.webhookEvent))).toEqual([]);
    } finally {
      await phone.stop();
      await others.stop();
    }
  });

  it('are not raised by a phone that is back within 90 s', async () => {
    await owner.subscribe(receiver, { events: DEVICE_EVENTS });
    // The second that is left is shorter than what a busy machine takes.
    first.clock.stop();
    await silence();
    await pass(89 * SECOND);
    await heartbeat();
    first.clock.resume();
    await pass(2 * MINUTE);
    expect(await storedOutbox()).toBeUndefined();
    await silence();
    await pass(2 * MINUTE);
    await untilPosted(1);
    expect(events()).toEqual(['DEVICE_OFFLINE']);
  });

  it('wait while the device is disabled', async () => {
    await owner.subscribe(receiver, { events: DEVICE_EVENTS });
    await silence();
    await owner.client.patch(`/gateway/devices/${owner.device}`, { enabled: false });
    await pass(2 * MINUTE);
    expect(await storedOutbox()).toBeUndefined();
    await owner.client.patch(`/gateway/devices/${owner.device}`, { enabled: true });
    await pass(2 * MINUTE);
    await untilPosted(1);
    expect(events()).toEqual(['DEVICE_OFFLINE']);
  });

  it('are raised again for each absence, with a key of its own', async () => {
    await owner.subscribe(receiver, { events: DEVICE_EVENTS });
    for (const absence of [1, 2]) {
      await silence();
      await pass(2 * MINUTE);
      await untilPosted(2 * absence - 1);
      await heartbeat();
      await pass(15 * SECOND);
      await untilPosted(2 * absence);
    }
    expect(events()).toEqual([...DEVICE_EVENTS, ...DEVICE_EVENTS]);
  });

  it('are delivered once when the process dies between the transition and any step of the relay', async () => {
    await owner.subscribe(receiver, { events: DEVICE_EVENTS });
    let steps = 0;
    let expected = 0;
    for (let died = true; died; steps += 1) {
      await silence();
      first.clock.advance(2 * MINUTE);
      await check();
      expect(await storedOutbox()).toHaveLength(1);
      // In the process without a worker, because the deliveries of that would be steps, too.
      died = await crashAfterSteps(steps, second, () => second.get(OperationalRelayService).relay());
      // The lease of the relay has ended.
      first.clock.advance(11 * SECOND);
      await first.get(OperationalEventsScheduler).sweep();
      await first.get(WebhooksScheduler).sweep();
      await untilPosted((expected += 1));
      await heartbeat();
      await check();
      await relay();
      await untilPosted((expected += 1));
      expect(await storedOutbox()).toEqual([]);
    }
    expect(steps).toBeGreaterThan(3);
    const turns = Array.from({ length: steps }, () => DEVICE_EVENTS).flat();
    expect(events()).toEqual(turns);
    expect(await owner.deliveries()).toHaveLength(Math.min(turns.length, 100));
  });

  it('are retried, and are part of the history, with redelivery and replay', async () => {
    const webhook = await owner.subscribe(receiver, { events: DEVICE_EVENTS });
    receiver.respond = respondWith(401);
    const from = first.clock.now().toISOString();
    await silence();
    await pass(2 * MINUTE);
    const delivery = await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'failed');
    expect(delivery).toMatchObject({
      event: 'DEVICE_OFFLINE',
      payload: { deviceId: owner.device, state: 'unresponsive' },
      deviceData: { _id: owner.device },
    });
    expect(delivery).not.toHaveProperty('smsData');
    expect(delivery.payload).not.toHaveProperty('smsId');
    expect(await owner.deliveries(`&eventType=DEVICE_OFFLINE&deviceId=${owner.device}`)).toHaveLength(1);
    expect(await owner.deliveries('&eventType=DEVICE_ONLINE')).toEqual([]);
    const body = receiver.received[0]?.body;
    await owner.client.post(`/webhooks/notifications/${delivery._id}/redeliver`).expect(200);
    await owner.waitForDelivery(({ deliveryAttemptCount }) => deliveryAttemptCount === 2);
    receiver.respond = respondWith(200);
    const replayed = await owner.client.post(`/webhooks/${webhook}/replay`, { from }).expect(200);
    expect(replayed.body).toMatchObject({ data: { scheduledCount: 1 } });
    await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
    const bodies = receiver.received.map((each) => each.body);
    expect(bodies.length).toBeGreaterThanOrEqual(3);
    expect(new Set(bodies)).toEqual(new Set([body]));
  });

  it('that are malformed are set aside, and block no others', async () => {
    await owner.subscribe(receiver, { events: DEVICE_EVENTS });
    const bad = new Types.ObjectId();
    const user = owner.client.user;
    const relayDueAt = new Date(0);
    await devices().insertOne({ _id: bad, user, outbox: [{ event: 'DEVICE_LOST' }], relayDueAt });
    await silence();
    await pass(2 * MINUTE);
    await untilPosted(1);
    // Undefined while the database takes longer than a second.
    const countSetAside = () =>
      eventually(
        async () => (await first.get(DatabaseStatsService).read())?.setAsideEvents,
        (count) => count !== undefined,
      );
    for (let attempt = 1; attempt <= 5; attempt += 1) await pass(MINUTE);
    expect(await countSetAside()).toBe(1);
    await devices().updateOne({ _id: bad }, { $set: { outbox: [] } });
    expect(await first.get(OperationalRelayService).retrySetAside()).toBe(1);
    await relay();
    expect(await countSetAside()).toBe(0);
    expect(events()).toEqual(['DEVICE_OFFLINE']);
  });
});
