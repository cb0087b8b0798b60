import { Types } from 'mongoose';
import type { OperationalEntry } from '../../src/devices/events/operational-event';
import { SimsRepository } from '../../src/devices/sims/sims.repository';
import { WaitingReview } from '../../src/gateway/routing/waiting-review.service';
import { DatabaseStatsService } from '../../src/ops/database-stats.service';
import { OperationalEventsScheduler } from '../../src/webhooks/relay/operational-events.scheduler';
import { OperationalRelayService } from '../../src/webhooks/relay/operational-relay.service';
import { WebhooksScheduler } from '../../src/webhooks/recovery/webhooks.scheduler';
import { crashAfterSteps } from '../support/crash-after-steps';
import { crashAtCall } from '../support/crash-at-call';
import { eventually } from '../support/eventually';
import { raiseSimUnhealthy } from '../support/raise-sim-unhealthy';
import { ScriptedTransport } from '../support/scripted-transport';
import { dispatchWave } from '../support/dispatch-wave';
import { TestService } from '../support/service';
import { WebhookOwner } from '../support/webhook-owner';
import { WebhookReceiver } from '../support/webhook-receiver';

const environment = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };
const SIM_EVENTS = ['SIM_UNHEALTHY', 'SIM_LIMIT_REACHED'];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const ICCID = '8949020000000000001';
const numbers = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `+4915${String(first + index).padStart(8, '0')}`);
const TEXT = expect.any(String) as string;

describe('the events of SIMs', () => {
  let first: TestService;
  let second: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;
  let device: string;
  let sim: string;

  // The worker delivers webhooks; waves are dispatched by the tests.
  beforeAll(async () => {
    const transport = new ScriptedTransport();
    first = await TestService.start({ environment, transport });
    second = await TestService.start({
      shared: first,
      environment: { ...environment, APP_ROLES: 'api,scheduler' },
      transport,
    });
    for (const service of [first, second]) service.stopTimers();
    first.clock.stop();
    // Noon, so that no test crosses midnight by accident.
    first.clock.advance(DAY - ((first.clock.now().getTime() + DAY / 2) % DAY));
  });
  beforeEach(async () => {
    await first.collection('sims').deleteMany({});
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.create(first);
    const simInfo = { sims: [{ subscriptionId: 1, simSlotIndex: 0 }] };
    device = await owner.client.newDevice({ simInfo, partsPerMinute: null });
    const { data } = (await owner.client.get('/gateway/sims')).body as {
      data: { _id: string; device: string }[];
    };
    sim = data.find((each) => each.device === device)?._id ?? 'missing';
    const named = await owner.client.patch(`/gateway/sims/${sim}`, { label: 'Work' });
    expect(named.status).toBe(200);
  });
  afterEach(() => receiver.stop());
  afterAll(async () => {
    await second.stop();
    await first.stop();
  });

  const limit = async (limits: object) => {
    expect((await owner.client.patch(`/gateway/sims/${sim}`, { limits })).status).toBe(200);
  };
  const send = (count: number) =>
    owner.client.send(numbers(count), { deviceId: device, scheduledAt: soon() });
  /** Later, so that no worker takes it at once. */
  const soon = () => new Date(first.clock.now().getTime() + MINUTE).toISOString();
  const dispatch = (batch: string, on = first) => dispatchWave(on, batch);
  /** Sends more than a limit allows. */
  const exceed = async (count: number) => {
    const batch = await send(count);
    first.clock.advance(2 * MINUTE);
    await dispatch(batch);
    return batch;
  };
  const relay = () =>
    Promise.all([first, second].map((service) => service.get(OperationalEventsScheduler).sweep()));
  const review = async () => {
    await first.get(WaitingReview).reviewUsages();
    await first.get(WaitingReview).reviewChanged();
  };
  const simId = () => new Types.ObjectId(sim);
  const stored = async () => {
    const record = await first.collection('sims').findOne({ _id: new Types.ObjectId(sim) });
    return (record?.outbox ?? []) as OperationalEntry[];
  };
  const storedLimits = async () =>
    (await stored()).map(({ details }) => ('limit' in details ? details.limit : undefined));
  const events = () => receiver.received.map(({ event }) => event.webhookEvent);
  const untilPosted = (count: number) => eventually(events, ({ length }) => length >= count);

  it('tell subscribers that list them once that a limit holds messages back', async () => {
    const others = await WebhookReceiver.start();
    await owner.subscribe(receiver, { events: SIM_EVENTS });
    await owner.subscribe(others, { events: ['MESSAGE_SENT', 'MESSAGE_FAILED', 'DEVICE_OFFLINE'] });
    await limit({ messagesPerDay: 2, partsPerMinute: 1_000, timeZone: 'Europe/Berlin' });
    const batch = await exceed(4);
    const { messages } = await owner.client.batch(device, batch);
    const until = messages.find(({ waitingFor }) => waitingFor)?.waitingFor as { until: string };
    for (let times = 1; times <= 3; times += 1) {
      await exceed(3);
      await relay();
    }
    await untilPosted(1);
    expect(receiver.received.map(({ event }) => event)).toEqual([
      {
        deviceId: device,
        webhookSubscriptionId: TEXT,
        webhookEvent: 'SIM_LIMIT_REACHED',
        idempotencyKey: TEXT,
        simId: sim,
        label: 'Work',
        subscriptionId: 1,
        limit: 'messagesPerDay',
        value: 2,
        resetsAt: until.until,
      },
    ]);
    expect(await stored()).toEqual([]);

    first.clock.advance(DAY);
    await exceed(3);
    await relay();
    await untilPosted(2);
    expect(events()).toEqual(['SIM_LIMIT_REACHED', 'SIM_LIMIT_REACHED']);
    const [one, other] = receiver.received.map(({ event }) => event);
    expect(one?.idempotencyKey).not.toBe(other?.idempotencyKey);
    expect(one?.resetsAt).not.toBe(other?.resetsAt);
    expect(others.received).toEqual([]);
    await others.stop();
  });

  it('are raised once for each limit and period, although two processes dispatch', async () => {
    await limit({ messagesPerHour: 3, messagesPerDay: 5 });
    const batches = await Promise.all(Array.from({ length: 6 }, (_, n) => send(2 + n)));
    first.clock.advance(2 * MINUTE);
    const countLeft = () =>
      first.collection('messages').countDocuments({ status: 'dispatched', sim: simId() });
    // Both processes reserve room for the same messages, and so does the worker after a review; what one of them gives back is
    // used after the next one.
    const dispatchUntil = async (count: number) => {
      await Promise.all(batches.flatMap((batch) => [dispatch(batch), dispatch(batch, second)]));
      const reviewAndDispatch = async () => {
        await review();
        for (const batch of batches) await dispatch(batch);
        return countLeft();
      };
      expect(await eventually(reviewAndDispatch, (left) => left >= count)).toBe(count);
    };
    await dispatchUntil(3);
    expect(await storedLimits()).toEqual(['messagesPerHour']);
    first.clock.advance(HOUR);
    await dispatchUntil(5);
    expect(await storedLimits()).toEqual(['messagesPerHour', 'messagesPerDay']);
  });

  it('are not raised by the pace, nor by a limit that holds nothing back', async () => {
    await limit({ partsPerMinute: 1, messagesPerDay: 3 });
    await exceed(3);
    first.clock.advance(10 * MINUTE);
    expect(await stored()).toEqual([]);
  });

  it('are raised when the dispatch is repeated, after the process died before it raised them', async () => {
    await limit({ messagesPerDay: 1 });
    const batch = await send(3);
    first.clock.advance(2 * MINUTE);
    crashAtCall(SimsRepository, 'raiseLimitReached')(first, 'before');
    await expect(dispatch(batch)).rejects.toThrow('killed');
    expect(await stored()).toEqual([]);
    first.clock.advance(2 * MINUTE);
    await second.get(WaitingReview).reviewUsages();
    await dispatch(batch, second);
    expect(await storedLimits()).toEqual(['messagesPerDay']);
  });

  it('are delivered once when the process dies at any step of the relay', async () => {
    await owner.subscribe(receiver, { events: SIM_EVENTS });
    let steps = 0;
    for (let died = true; died; steps += 1) {
      await raiseSimUnhealthy(first, sim);
      // In the process without a worker, because the deliveries of that would be steps, too.
      died = await crashAfterSteps(steps, second, () => second.get(OperationalRelayService).relay());
      // The lease of the relay has ended.
      first.clock.advance(11_000);
      await first.get(OperationalEventsScheduler).sweep();
      await first.get(WebhooksScheduler).sweep();
      await untilPosted(steps + 1);
      expect(await stored()).toEqual([]);
    }
    expect(steps).toBeGreaterThan(3);
    expect(events()).toEqual(Array.from({ length: steps }, () => 'SIM_UNHEALTHY'));
  });

  it('are part of the history, by their phone', async () => {
    await owner.subscribe(receiver, { events: SIM_EVENTS });
    await raiseSimUnhealthy(first, sim);
    await relay();
    const delivery = await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
    expect(delivery).toMatchObject({
      event: 'SIM_UNHEALTHY',
      payload: { deviceId: device, simId: sim, state: 'open', kind: 'failures', failureRate: 0.87 },
      deviceData: { _id: device },
    });
    expect(delivery).not.toHaveProperty('smsData');
    const found = await owner.deliveries(`&eventType=SIM_UNHEALTHY&deviceId=${device}`);
    expect(found.map(({ _id }) => _id)).toEqual([delivery._id]);
    expect(await owner.deliveries('&eventType=SIM_LIMIT_REACHED')).toEqual([]);
  });

  it('name no device after it was deleted', async () => {
    await owner.subscribe(receiver, { events: SIM_EVENTS });
    await first
      .collection('sims')
      .updateOne({ _id: new Types.ObjectId(sim) }, { $unset: { device: 1 }, $set: { isPresent: false } });
    await raiseSimUnhealthy(first, sim);
    await relay();
    const delivery = await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
    expect(delivery.payload).toMatchObject({ simId: sim, label: 'Work' });
    expect(delivery.payload).not.toHaveProperty('deviceId');
    expect(delivery).not.toHaveProperty('deviceData');
  });

  it('reach subscribers, once, although the record of the card is replaced before they are relayed', async () => {
    await owner.subscribe(receiver, { events: SIM_EVENTS });
    await limit({ messagesPerDay: 1 });
    await exceed(2);
    const [raised] = await stored();
    const other = await owner.client.newDevice({
      simInfo: { sims: [{ subscriptionId: 1, simSlotIndex: 0, iccId: ICCID }] },
    });
    expect(other).not.toBe(device);
    const withIccId = { simInfo: { sims: [{ subscriptionId: 1, simSlotIndex: 0, iccId: ICCID }] } };
    await owner.client.post(`/gateway/devices/${device}/heartbeat`, withIccId).expect(200);
    expect(await first.collection('sims').findOne({ _id: new Types.ObjectId(sim) })).toBeNull();
    await relay();
    await untilPosted(1);
    await exceed(2);
    await relay();
    expect(events()).toEqual(['SIM_LIMIT_REACHED']);
    expect(receiver.received[0]?.event).toMatchObject(raised?.details ?? { details: 'missing' });
  });

  it('that are malformed are set aside, and block no others', async () => {
    await owner.subscribe(receiver, { events: SIM_EVENTS });
    const bad = new Types.ObjectId();
    const { user } = owner.client;
    const entry = { id: new Types.ObjectId(), event: 'SIM_UNHEALTHY', at: new Date(0), details: {} };
    await first.collection('sims').insertOne({
      _id: bad,
      user,
      key: 'bad',
      outbox: [{ ...entry, device: 'x' }],
      relayDueAt: new Date(0),
    });
    await raiseSimUnhealthy(first, sim);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      await relay();
      first.clock.advance(MINUTE);
    }
    await untilPosted(1);
    const countSetAside = async () => (await first.get(DatabaseStatsService).read())?.setAsideEvents;
    expect(await countSetAside()).toBe(1);
    await first.collection('sims').updateOne({ _id: bad }, { $set: { outbox: [entry] } });
    expect(await first.get(OperationalRelayService).retrySetAside()).toBe(1);
    await relay();
    await untilPosted(2);
    expect(await countSetAside()).toBe(0);
  });
});
