import { getQueueToken } from '@nestjs/bull';
import type { Queue } from 'bull';
import { OUTBOX_QUEUE } from '../../src/messages/outbox/outbox.queue';
import { DeliveriesRepository } from '../../src/webhooks/deliveries/deliveries.repository';
import { DeliveryQueue } from '../../src/webhooks/runners/delivery.queue';
import { OutboxRelayService } from '../../src/webhooks/relay/outbox-relay.service';
import { WebhooksScheduler } from '../../src/webhooks/recovery/webhooks.scheduler';
import { eventually } from '../support/eventually';
import { crashAfterSteps } from '../support/crash-after-steps';
import { TestService } from '../support/service';
import { WebhookOwner } from '../support/webhook-owner';
import { respondWith, neverRespond, WebhookReceiver } from '../support/webhook-receiver';

const environment = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };

describe('the outbox relay', () => {
  /** Stores events and runs no jobs. */
  let api: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;

  beforeEach(async () => {
    api = await TestService.start({ environment: { ...environment, APP_ROLES: 'api' } });
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.create(api);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await receiver.stop();
    await api.stop();
  });

  const startWorker = (APP_ROLES = 'worker,scheduler') =>
    TestService.start({ environment: { ...environment, APP_ROLES }, shared: api });

  it('delivers every event to both subscriptions with one key each when it dies between any two steps', async () => {
    const other = await WebhookReceiver.start();
    const events = ['MESSAGE_RECEIVED', 'MESSAGE_SENT'];
    try {
      let steps = 0;
      for (let died = true; died; steps += 1) {
        owner = await WebhookOwner.create(api);
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
        died = await crashAfterSteps(steps, api, () => api.get(OutboxRelayService).relay());
        api.clock.advance(10_000);
        const worker = await startWorker();
        try {
          await worker.get(WebhooksScheduler).sweep();
          for (const { webhook, received } of endpoints) {
            await owner.waitForSubscription(webhook, (found) => found.successfulDeliveryCount === ids.length);
            const delivered = await owner.deliveries(`&webhookSubscriptionId=${webhook}`);
            expect(delivered.map(({ payload }) => payload.smsId).sort()).toEqual([...ids].sort());
            expect(new Set(delivered.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(ids.length);
            expect(received.map(({ event }) => `${event.smsId} ${event.idempotencyKey}`).sort()).toEqual(
              delivered.map(({ payload, idempotencyKey }) => `${payload.smsId} ${idempotencyKey}`).sort(),
            );
          }
          const waiting = { relayDueAt: { $exists: true } };
          // A delivery may be made before its event is removed.
          await eventually(
            () => api.collection('messages').countDocuments(waiting),
            (count) => count === 0,
          );
        } finally {
          await worker.stop();
        }
      }
      // Database operations of a run: two claim messages, one lists subscribers, one stores deliveries, one enqueues,
      // two remove entries.
      expect(steps).toBeGreaterThanOrEqual(8);
    } finally {
      await other.stop();
    }
  });

  it('creates one delivery per event when several relays run at the same time', async () => {
    await owner.subscribe(receiver);
    await Promise.all(Array.from({ length: 250 }, (_, index) => owner.receive(`Message ${index}`)));
    await Promise.all(Array.from({ length: 4 }, () => api.get(OutboxRelayService).relay()));
    expect(await api.collection('webhookdeliveries').countDocuments()).toBe(250);
    expect(await api.collection('messages').countDocuments({ relayDueAt: { $exists: true } })).toBe(0);
  });

  it('relays an event that is raised while its message is being relayed', async () => {
    await owner.subscribe(receiver, { events: ['MESSAGE_SENT', 'MESSAGE_DELIVERED'] });
    const batch = await owner.client.send(['+4915112345678']);
    const sms = (await owner.client.batch(owner.device, batch)).messages[0]?._id ?? '';
    await owner.client.report(owner.device, sms, 'SENT').expect(200);
    const deliveries = api.get(DeliveriesRepository);
    const insertMissing = deliveries.insertMissing.bind(deliveries);
    jest.spyOn(deliveries, 'insertMissing').mockImplementationOnce(async (found) => {
      await owner.client.report(owner.device, sms, 'DELIVERED').expect(200);
      return insertMissing(found);
    });
    await api.get(OutboxRelayService).relay();
    await api.get(OutboxRelayService).relay(); // the job of the second event
    expect((await owner.deliveries()).map(({ event }) => event).sort()).toEqual([
      'MESSAGE_DELIVERED',
      'MESSAGE_SENT',
    ]);
    expect(await api.collection('messages').countDocuments({ relayDueAt: { $exists: true } })).toBe(0);
  });

  it('shares runs between concurrent jobs', async () => {
    const worker = await startWorker('worker');
    try {
      const relay = worker.get(OutboxRelayService);
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
      // Eight, unless some of the jobs come too late for theirs.
      expect(run.mock.calls.length).toBeLessThan(100);
    } finally {
      await worker.stop();
    }
  });

  it('clears the outbox of accounts without a subscription', async () => {
    await owner.receive('Hello');
    await api.get(OutboxRelayService).relay();
    expect(await api.collection('messages').countDocuments({ relayDueAt: { $exists: true } })).toBe(0);
    expect(await api.collection('webhookdeliveries').countDocuments()).toBe(0);
  });

  it('repeats an attempt with the same key when the worker dies before it stores the result', async () => {
    const webhook = await owner.subscribe(receiver);
    const dying = await startWorker('worker');
    const survivor = await startWorker('scheduler');
    try {
      jest.spyOn(dying.get(DeliveriesRepository), 'storeResults').mockRejectedValue(new Error('killed'));
      await owner.receive('Hello');
      await eventually(
        () => receiver.received.length,
        (count) => count === 1,
      );
      // It is not claimed again while the attempt may be in flight.
      await survivor.get(WebhooksScheduler).enqueueOverdueDeliveries();
      await owner.enqueueJob(webhook);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(receiver.received).toHaveLength(1);
      jest.restoreAllMocks();
      api.clock.advance(31_000);
      await survivor.get(WebhooksScheduler).enqueueOverdueDeliveries();
      const delivered = await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
      expect(receiver.received.map(({ event }) => event.idempotencyKey)).toEqual([
        delivered.idempotencyKey,
        delivered.idempotencyKey,
      ]);
      expect(
        await owner.waitForSubscription(webhook, (it) => it.successfulDeliveryCount === 1),
      ).toMatchObject({
        deliveryAttemptCount: 1,
      });
    } finally {
      await survivor.stop();
      await dying.stop();
    }
  });

  it('finds deliveries whose job was lost', async () => {
    await owner.subscribe(receiver);
    await owner.receive('Hello');
    jest.spyOn(api.get(DeliveryQueue), 'enqueue').mockResolvedValue(false);
    await api.get(OutboxRelayService).relay();
    const worker = await startWorker();
    try {
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(receiver.received).toHaveLength(0);
      api.clock.advance(5_000);
      await worker.get(WebhooksScheduler).enqueueOverdueDeliveries();
      await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
    } finally {
      await worker.stop();
    }
  });

  it('keeps at most 20 attempts per subscription in flight across workers, and finishes them on shutdown', async () => {
    const webhook = await owner.subscribe(receiver);
    const waiting: (() => void)[] = [];
    receiver.respond = (_, response) => waiting.push(() => response.writeHead(200).end());
    for (let index = 0; index < 60; index += 1) await owner.receive(`Message ${index}`);
    const workers = await Promise.all([startWorker(), startWorker(), startWorker()]);
    await eventually(
      () => receiver.openRequests,
      (count) => count === 20,
    );
    for (const worker of workers) await worker.get(WebhooksScheduler).enqueueOverdueDeliveries();
    await owner.enqueueJob(webhook);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(receiver.maxOpenRequests).toBe(20);
    receiver.respond = respondWith(200);
    const stopped = Promise.all(workers.map((worker) => worker.stop()));
    for (const release of waiting.splice(0)) release();
    await stopped;
    expect(receiver.openRequests).toBe(0);
    const states = (await owner.deliveries()).map(({ computedStatus }) => computedStatus);
    expect(states.filter((state) => state === 'delivered')).toHaveLength(receiver.received.length);
    const next = await startWorker();
    try {
      await next.get(WebhooksScheduler).enqueueOverdueDeliveries();
      await owner.waitForSubscription(webhook, (it) => it.successfulDeliveryCount === 60);
      expect(receiver.received).toHaveLength(60);
      expect(receiver.maxOpenRequests).toBe(20);
    } finally {
      await next.stop();
    }
  });

  it('delivers 300 events to a fast endpoint without waiting for the timeouts of a hanging one', async () => {
    const slow = await WebhookReceiver.start(neverRespond);
    await owner.subscribe(slow);
    await owner.subscribe(receiver);
    const worker = await startWorker();
    try {
      const raisedAt = new Map<string, number>();
      let next = 0;
      const upload = async () => {
        while (next < 300) {
          const index = next++;
          const startedAt = Date.now();
          raisedAt.set(await owner.receive(`Message ${index}`), startedAt);
        }
      };
      await Promise.all(Array.from({ length: 8 }, upload));
      await eventually(
        () => receiver.received.length,
        (count) => count === 300,
      );
      const delays = receiver.received
        .map(({ at, event }) => at - (raisedAt.get(event.smsId) ?? 0))
        .sort((one, other) => one - other);
      // The hanging endpoint takes 15 s for 20 attempts, so 225 s for as many.
      expect(delays[297]).toBeLessThan(60_000);
      expect(slow.maxOpenRequests).toBe(20);
      expect(await api.collection('webhookdeliveries').countDocuments()).toBe(600);
    } finally {
      await slow.stop();
      await worker.stop();
    }
  });
});
