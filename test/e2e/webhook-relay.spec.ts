import { getQueueToken } from '@nestjs/bull';
import type { Queue } from 'bull';
import { OUTBOX_QUEUE } from '../../src/messages/outbox.queue';
import { DeliveriesRepository } from '../../src/webhooks/deliveries.repository';
import { DeliveryQueue } from '../../src/webhooks/delivery.queue';
import { RelayService } from '../../src/webhooks/relay.service';
import { WebhooksScheduler } from '../../src/webhooks/webhooks.scheduler';
import { eventually } from '../support/eventually';
import { killedAfter } from '../support/killed-after';
import { TestService } from '../support/service';
import { WebhookOwner } from '../support/webhook-owner';
import { answering, hanging, WebhookReceiver } from '../support/webhook-receiver';

const environment = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };

describe('the relay of events', () => {
  /** Takes events in, and runs no job. */
  let api: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;

  beforeEach(async () => {
    api = await TestService.start({ environment: { ...environment, APP_ROLES: 'api' } });
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.make(api);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await receiver.stop();
    await api.stop();
  });

  const startWorker = (APP_ROLES = 'worker,scheduler') =>
    TestService.start({ environment: { ...environment, APP_ROLES }, shared: api });

  it('killed between any two steps: every event reaches both subscriptions, under one key each', async () => {
    const other = await WebhookReceiver.start();
    const events = ['MESSAGE_RECEIVED', 'MESSAGE_SENT'];
    try {
      let steps = 0;
      for (let died = true; died; steps += 1) {
        owner = await WebhookOwner.make(api);
        const endpoints = [];
        for (const { url, received } of [receiver, other]) {
          received.length = 0;
          endpoints.push({ webhook: await owner.subscribe({ url }, { events }), received });
        }
        const ids = [await owner.receive('Hello'), await owner.receive('Good evening')];
        const batch = await owner.client.send(['+4915112345678', '+4915112345679']);
        for (const { _id } of (await owner.client.batch(owner.device, batch)).messages) {
          await owner.client.report(owner.device, _id, 'SENT').expect(200);
          ids.push(_id);
        }
        died = await killedAfter(steps, api, () => api.get(RelayService).relay());
        api.clock.advance(10_000);
        const worker = await startWorker();
        try {
          await worker.get(WebhooksScheduler).sweep();
          for (const { webhook, received } of endpoints) {
            await owner.whenSubscription(webhook, (found) => found.successfulDeliveryCount === ids.length);
            const delivered = await owner.deliveries(`&webhookSubscriptionId=${webhook}`);
            expect(delivered.map(({ payload }) => payload.smsId).sort()).toEqual([...ids].sort());
            expect(new Set(delivered.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(ids.length);
            expect(received.map(({ event }) => `${event.smsId} ${event.idempotencyKey}`).sort()).toEqual(
              delivered.map(({ payload, idempotencyKey }) => `${payload.smsId} ${idempotencyKey}`).sort(),
            );
          }
          const waiting = { relayDueAt: { $exists: true } };
          expect(await api.collection('messages').countDocuments(waiting)).toBe(0);
        } finally {
          await worker.stop();
        }
      }
      // Two take the messages, one finds the subscribers, one stores the deliveries, one wakes, two remove the events
      // of either kind, and one finds no more; then it lived.
      expect(steps).toBeGreaterThanOrEqual(9);
    } finally {
      await other.stop();
    }
  }, 60_000);

  it('many relays at once make one delivery of each event', async () => {
    await owner.subscribe(receiver);
    await Promise.all(Array.from({ length: 250 }, (_, index) => owner.receive(`Message ${index}`)));
    await Promise.all(Array.from({ length: 4 }, () => api.get(RelayService).relay()));
    expect(await api.collection('webhookdeliveries').countDocuments()).toBe(250);
    expect(await api.collection('messages').countDocuments({ relayDueAt: { $exists: true } })).toBe(0);
  });

  it('an event that is raised while its message is relayed is relayed too', async () => {
    await owner.subscribe(receiver, { events: ['MESSAGE_SENT', 'MESSAGE_DELIVERED'] });
    const batch = await owner.client.send(['+4915112345678']);
    const sms = (await owner.client.batch(owner.device, batch)).messages[0]?._id ?? '';
    await owner.client.report(owner.device, sms, 'SENT').expect(200);
    const deliveries = api.get(DeliveriesRepository);
    const insertNew = deliveries.insertNew.bind(deliveries);
    jest.spyOn(deliveries, 'insertNew').mockImplementationOnce(async (found) => {
      await owner.client.report(owner.device, sms, 'DELIVERED').expect(200);
      await insertNew(found);
    });
    await api.get(RelayService).relay();
    expect((await owner.deliveries()).map(({ event }) => event).sort()).toEqual([
      'MESSAGE_DELIVERED',
      'MESSAGE_SENT',
    ]);
    expect(await api.collection('messages').countDocuments({ relayDueAt: { $exists: true } })).toBe(0);
  });

  it('many wake-ups share runs, so that they do not pile up', async () => {
    const worker = await startWorker('worker');
    try {
      const relay = worker.get(RelayService);
      const run = jest.spyOn(relay, 'relay').mockImplementation(async () => {
        await new Promise((resolve) => setTimeout(resolve, 200));
      });
      const queue = api.app.get<Queue<null>>(getQueueToken(OUTBOX_QUEUE), { strict: false });
      const options = { removeOnComplete: true, removeOnFail: true };
      await queue.addBulk(Array.from({ length: 200 }, () => ({ data: null, opts: options })));
      await eventually(
        () => queue.getJobCounts(),
        ({ waiting, active }) => waiting + active === 0,
      );
      expect(run.mock.calls.length).toBeLessThan(10);
    } finally {
      await worker.stop();
    }
  });

  it('accounts without a subscription keep nothing waiting', async () => {
    await owner.receive('Hello');
    await api.get(RelayService).relay();
    expect(await api.collection('messages').countDocuments({ relayDueAt: { $exists: true } })).toBe(0);
    expect(await api.collection('webhookdeliveries').countDocuments()).toBe(0);
  });

  it('an attempt whose worker dies before it is written down is made again, under the same key', async () => {
    const webhook = await owner.subscribe(receiver);
    const dying = await startWorker('worker');
    const survivor = await startWorker('scheduler');
    try {
      jest.spyOn(dying.get(DeliveriesRepository), 'settle').mockRejectedValue(new Error('killed'));
      await owner.receive('Hello');
      await eventually(
        () => receiver.received.length,
        (count) => count === 1,
      );
      // Nobody else takes it while it may be under way.
      await survivor.get(WebhooksScheduler).wakeOverdue();
      await owner.wake(webhook);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(receiver.received).toHaveLength(1);
      jest.restoreAllMocks();
      api.clock.advance(31_000);
      await survivor.get(WebhooksScheduler).wakeOverdue();
      const delivered = await owner.delivery(({ computedStatus }) => computedStatus === 'delivered');
      expect(receiver.received.map(({ event }) => event.idempotencyKey)).toEqual([
        delivered.idempotencyKey,
        delivered.idempotencyKey,
      ]);
      expect(await owner.whenSubscription(webhook, (it) => it.successfulDeliveryCount === 1)).toMatchObject({
        deliveryAttemptCount: 1,
      });
    } finally {
      await survivor.stop();
      await dying.stop();
    }
  });

  it('deliveries whose wake-up is lost are found by the sweeper', async () => {
    await owner.subscribe(receiver);
    await owner.receive('Hello');
    jest.spyOn(api.get(DeliveryQueue), 'wake').mockResolvedValue(false);
    await api.get(RelayService).relay();
    const worker = await startWorker();
    try {
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(receiver.received).toHaveLength(0);
      api.clock.advance(5_000);
      await worker.get(WebhooksScheduler).wakeOverdue();
      await owner.delivery(({ computedStatus }) => computedStatus === 'delivered');
    } finally {
      await worker.stop();
    }
  });

  it('at most 20 attempts of a subscription are in flight, however many workers there are; a stop finishes them', async () => {
    const webhook = await owner.subscribe(receiver);
    const waiting: (() => void)[] = [];
    receiver.answer = (_, response) => waiting.push(() => response.writeHead(200).end());
    for (let index = 0; index < 60; index += 1) await owner.receive(`Message ${index}`);
    const workers = await Promise.all([startWorker(), startWorker(), startWorker()]);
    await eventually(
      () => receiver.inHand,
      (count) => count === 20,
    );
    for (const worker of workers) await worker.get(WebhooksScheduler).wakeOverdue();
    await owner.wake(webhook);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(receiver.mostInHand).toBe(20);
    receiver.answer = answering(200);
    const stopped = Promise.all(workers.map((worker) => worker.stop()));
    for (const release of waiting.splice(0)) release();
    await stopped;
    expect(receiver.inHand).toBe(0);
    const states = (await owner.deliveries()).map(({ computedStatus }) => computedStatus);
    expect(states.filter((state) => state === 'delivered')).toHaveLength(receiver.received.length);
    const next = await startWorker();
    try {
      await next.get(WebhooksScheduler).wakeOverdue();
      await owner.whenSubscription(webhook, (it) => it.successfulDeliveryCount === 60);
      expect(receiver.received).toHaveLength(60);
      expect(receiver.mostInHand).toBe(20);
    } finally {
      await next.stop();
    }
  });

  it('an endpoint that hangs holds up nobody: 1,000 events each, and the quick one has each in under 2 s', async () => {
    const slow = await WebhookReceiver.start(hanging);
    await owner.subscribe(slow);
    await owner.subscribe(receiver);
    const worker = await startWorker();
    try {
      const raisedAt = new Map<string, number>();
      let next = 0;
      const upload = async () => {
        while (next < 1_000) {
          const index = next++;
          const startedAt = Date.now();
          raisedAt.set(await owner.receive(`Message ${index}`), startedAt);
        }
      };
      await Promise.all(Array.from({ length: 8 }, upload));
      await eventually(
        () => receiver.received.length,
        (count) => count === 1_000,
        20_000,
      );
      const delays = receiver.received
        .map(({ at, event }) => at - (raisedAt.get(event.smsId) ?? 0))
        .sort((one, other) => one - other);
      expect(delays[990]).toBeLessThan(2_000);
      expect(slow.mostInHand).toBe(20);
      expect(await api.collection('webhookdeliveries').countDocuments()).toBe(2_000);
    } finally {
      await slow.stop();
      await worker.stop();
    }
  }, 60_000);
});
