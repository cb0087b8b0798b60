import { getModelToken } from '@nestjs/mongoose';
import { type Model, Types } from 'mongoose';
import { OutboxQueue } from '../../src/messages/outbox/outbox.queue';
import { DeliveriesRepository } from '../../src/webhooks/deliveries/deliveries.repository';
import { DeliveryAttemptsService } from '../../src/webhooks/attempts/delivery-attempts.service';
import { DeliveryQueue } from '../../src/webhooks/runners/delivery.queue';
import { DeliveryRunnerPool } from '../../src/webhooks/runners/delivery-runner-pool.service';
import { Delivery } from '../../src/webhooks/deliveries/delivery.schema';
import { RunnerLeases } from '../../src/webhooks/runners/runner-leases.service';
import { RunnerLeasesRepository } from '../../src/webhooks/runners/runner-leases.repository';
import { IsolatedRelayService } from '../../src/webhooks/relay/isolated-relay.service';
import { OutboxRelayService } from '../../src/webhooks/relay/outbox-relay.service';
import { eventually } from '../support/eventually';
import { pauseNextCall } from '../support/pause-next-call';
import { TestService } from '../support/service';
import { TestClock } from '../support/test-clock';
import { WebhookOwner } from '../support/webhook-owner';
import {
  refuseForAnHour,
  type ResponseHandler,
  respondWith,
  WebhookReceiver,
} from '../support/webhook-receiver';

const environment = { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' };

/** Without the scheduler, only jobs start deliveries. */
describe('delivery runners', () => {
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

  const startWorker = (maxRunners?: number, clock?: TestClock) =>
    TestService.start({
      environment: { ...environment, APP_ROLES: 'worker' },
      shared: api,
      maxRunners,
      clock,
    });

  const slow =
    (seconds: number): ResponseHandler =>
    (_, response) => {
      setTimeout(() => response.writeHead(200).end(), seconds * 1_000);
    };

  const inHand = (receivers: readonly WebhookReceiver[], count: number) =>
    eventually(
      () => receivers.map((each) => each.openRequests),
      (counts) => counts.every((each) => each === count),
    );

  it('serve a fast subscription while slow ones with a backlog fill the pool, and lose nothing', async () => {
    const slowOnes = [await WebhookReceiver.start(slow(1.5)), await WebhookReceiver.start(slow(1.5))];
    const slowOwner = await WebhookOwner.create(api);
    const slowHooks = [];
    for (const each of slowOnes) slowHooks.push(await slowOwner.subscribe(each));
    await owner.subscribe(receiver);
    const ids: string[] = [];
    for (let index = 0; index < 200; index += 1) ids.push(await slowOwner.receive(`Message ${index}`));
    const worker = await startWorker(2);
    try {
      await inHand(slowOnes, 20);
      const quick = await owner.receive('Hello');
      const [found] = await eventually(
        () => receiver.received,
        ({ length }) => length === 1,
      );
      expect(found?.event.smsId).toBe(quick);
      // Not because the others had finished.
      expect(slowOnes.some(({ received }) => received.length < ids.length)).toBe(true);
      for (const webhook of slowHooks) {
        const done = await eventually(
          () => slowOwner.subscription(webhook),
          ({ successfulDeliveryCount }) => successfulDeliveryCount === ids.length,
        );
        expect(done).toMatchObject({ deliveryAttemptCount: ids.length, deliveryFailureCount: 0 });
      }
      for (const each of slowOnes) {
        expect(each.received.map(({ event }) => event.smsId).sort()).toEqual([...ids].sort());
        expect(each.maxOpenRequests).toBe(20);
      }
    } finally {
      await worker.stop();
      await Promise.all(slowOnes.map((each) => each.stop()));
    }
  });

  it('of another process take over when the pool is full, and the holder of a lease is notified', async () => {
    const slowHook = await owner.subscribe(receiver);
    const full = await startWorker(1);
    const service = full.get(DeliveryAttemptsService);
    const attempt = service.attempt.bind(service);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const attempts = jest.spyOn(service, 'attempt').mockImplementation(async (...delivery) => {
      await released;
      return attempt(...delivery);
    });
    const started = (count: number) =>
      eventually(
        () => attempts.mock.calls.length,
        (calls) => calls === count,
      );
    try {
      await stored(owner);
      await full.get(DeliveryRunnerPool).ensureRunning(new Types.ObjectId(slowHook));
      await started(1);
      const free = await startWorker();
      try {
        // Of the subscription whose lease the other process holds.
        await stored(owner);
        await free.get(DeliveryRunnerPool).ensureRunning(new Types.ObjectId(slowHook));
        await started(2);

        // Only the process with the full pool gets the job.
        const quickOwner = await WebhookOwner.create(api);
        const quickHook = await quickOwner.subscribe(receiver);
        await stored(quickOwner);
        await full.get(DeliveryRunnerPool).ensureRunning(new Types.ObjectId(quickHook));
        await eventually(
          () => receiver.received.length,
          (count) => count === 1,
        );
        expect(attempts.mock.calls.map(([{ _id }]) => String(_id))).toEqual([slowHook, slowHook]);
        release();
        await eventually(
          () => receiver.received.length,
          (count) => count === 3,
        );
      } finally {
        await free.stop();
      }
    } finally {
      release();
      await full.stop();
    }
  });

  it('leave a free slot to the next webhook if the first that waited has a runner by now', async () => {
    const worker = await startWorker(2);
    const pool = worker.get(DeliveryRunnerPool);
    // Without jobs, only a slot that becomes free starts a runner.
    const queue = worker.get(DeliveryQueue);
    for (const method of ['enqueue', 'enqueueLater'] as const)
      jest.spyOn(queue, method).mockResolvedValue(true);
    const attempts = worker.get(DeliveryAttemptsService);
    const attempt = attempts.attempt.bind(attempts);
    const releases = new Map<string, () => void>();
    let isOver = false;
    jest.spyOn(attempts, 'attempt').mockImplementation(async (subscription, delivery) => {
      await new Promise<void>((resolve) => {
        releases.set(subscription._id.toHexString(), resolve);
        if (isOver) resolve();
      });
      return attempt(subscription, delivery);
    });
    const started = (webhook: string) =>
      eventually(
        () => [...releases.keys()],
        (webhooks) => webhooks.includes(webhook),
      );
    const newWebhook = async () => {
      const of = await WebhookOwner.create(api);
      const webhook = await of.subscribe(receiver);
      await stored(of);
      return webhook;
    };
    const [first, second, third] = [await newWebhook(), await newWebhook(), await newWebhook()];
    const ensureRunning = (webhook: string) => pool.ensureRunning(new Types.ObjectId(webhook));
    try {
      await ensureRunning(second);
      await started(second);
      const hold = pauseNextCall(worker, RunnerLeases, 'acquire');
      const starting = ensureRunning(first);
      await hold.reached;
      // Its runner does not exist yet, and every slot is used.
      await ensureRunning(first);
      hold.release(false);
      await starting;
      await started(first);
      await ensureRunning(third);
      expect([...releases.keys()]).toEqual([second, first]);
      releases.get(second)?.();
      await started(third);
    } finally {
      isOver = true;
      for (const release of releases.values()) release();
      await worker.stop();
    }
  });

  /** Stores a delivery without enqueueing a job. */
  async function stored(of: WebhookOwner): Promise<void> {
    const count = (await of.deliveries()).length;
    jest.spyOn(api.get(DeliveryQueue), 'enqueue').mockResolvedValue(false);
    await of.receive('Hello');
    await api.get(OutboxRelayService).relay();
    await eventually(
      () => of.deliveries(),
      ({ length }) => length === count + 1,
    );
  }

  describe('that hold their lease after a delivery', () => {
    let worker: TestService;
    let webhook: string;

    beforeEach(async () => {
      webhook = await owner.subscribe(receiver);
      worker = await startWorker();
      await owner.receive('First');
      await receivedBy(receiver, 1);
    });
    afterEach(() => worker.stop());

    const receivedBy = (by: WebhookReceiver, count: number) =>
      eventually(
        () => by.received.length,
        (length) => length === count,
      );

    it('get the next event from the relay, without a job or a query', async () => {
      const enqueue = jest.spyOn(worker.get(DeliveryQueue), 'enqueue');
      const claimDue = jest.spyOn(worker.get(DeliveriesRepository), 'claimDue');
      let count = 1;
      // A runner that got nothing for two seconds has ended, so that one event needs a job again.
      await eventually(async () => {
        enqueue.mockClear();
        claimDue.mockClear();
        await owner.receive(`Next ${count}`);
        count += 1;
        await receivedBy(receiver, count);
        return enqueue.mock.calls.flat(2).length + claimDue.mock.calls.length === 0;
      }, Boolean);
      await owner.waitForSubscription(
        webhook,
        ({ successfulDeliveryCount }) => successfulDeliveryCount === count,
      );
    });

    it('use the URL that is set when the event is raised', async () => {
      const moved = await WebhookReceiver.start();
      try {
        await owner.client.patch(`/webhooks/${webhook}`, { deliveryUrl: moved.url }).expect(200);
        await owner.receive('Second');
        await receivedBy(moved, 1);
        expect(receiver.received).toHaveLength(1);
      } finally {
        await moved.stop();
      }
    });

    it('deliver nothing of a webhook that is paused while the relay stores its delivery', async () => {
      const deliveries = worker.get(DeliveriesRepository);
      const insertMissing = deliveries.insertMissing.bind(deliveries);
      jest.spyOn(deliveries, 'insertMissing').mockImplementationOnce(async (found) => {
        await owner.client.patch(`/webhooks/${webhook}`, { isActive: false }).expect(200);
        return insertMissing(found);
      });
      await owner.receive('Second');
      await eventually(
        () => owner.deliveries(),
        (found) => found.some(({ computedStatus }) => computedStatus === 'failed'),
      );
      expect(receiver.received).toHaveLength(1);
    });

    it('leave a delivery to the runner that has taken their lease', async () => {
      const subscriptions = api.collection('webhooksubscriptions');
      const _id = new Types.ObjectId(webhook);
      const until = new Date(Date.now() + 600_000);
      await subscriptions.updateOne({ _id }, { $set: { runner: { id: new Types.ObjectId(), until } } });
      await owner.receive('Second');
      await eventually(
        () => subscriptions.findOne({ _id }),
        (found) => found?.isWoken === true,
      );
      expect(await api.collection('webhookdeliveries').countDocuments({ claim: { $exists: true } })).toBe(0);
      expect(receiver.received).toHaveLength(1);
      await subscriptions.updateOne({ _id }, { $unset: { runner: 1 } });
      await owner.enqueueJob(webhook);
      await receivedBy(receiver, 2);
    });

    it('leave a delivery that they do not get to the next runner', async () => {
      const deliveries = worker.get(DeliveriesRepository);
      const insertMissing = deliveries.insertMissing.bind(deliveries);
      jest.spyOn(deliveries, 'insertMissing').mockImplementationOnce(async (found) => {
        await insertMissing(found);
        throw new Error('The process does not learn that the deliveries are stored');
      });
      await owner.receive('Second');
      await eventually(
        () => owner.deliveries(),
        ({ length }) => length === 2,
      );
      api.clock.advance(31_000);
      await owner.enqueueJob(webhook);
      await receivedBy(receiver, 2);
    });
  });

  describe('when a command of the database fails', () => {
    const lost = new Error('The connection is lost');
    let worker: TestService;
    let webhook: string;

    beforeEach(async () => {
      webhook = await owner.subscribe(receiver);
      worker = await startWorker();
    });
    afterEach(() => worker.stop());

    const holder = async () => {
      const _id = new Types.ObjectId(webhook);
      return (await api.collection('webhooksubscriptions').findOne({ _id }))?.runner as unknown;
    };

    it('release their lease and are replaced within seconds', async () => {
      jest.spyOn(worker.get(DeliveriesRepository), 'claimDue').mockRejectedValueOnce(lost);
      await owner.receive('Hello');
      await eventually(
        () => receiver.received.length,
        (count) => count === 1,
        // Without the release, the lease ends after 30 s.
        25_000,
      );
    });

    it('store the results of their attempts at the second try, and finish what is in flight', async () => {
      const waiting: (() => void)[] = [];
      receiver.respond = (_, response) => waiting.push(() => response.writeHead(200).end());
      await owner.receive('First');
      await owner.receive('Second');
      await inHand([receiver], 2);
      jest.spyOn(worker.get(DeliveriesRepository), 'storeResults').mockRejectedValueOnce(lost);
      waiting.pop()?.();
      await inHand([receiver], 1);
      expect(await holder()).toBeDefined();
      waiting.pop()?.();
      await owner.waitForSubscription(webhook, (found) => found.successfulDeliveryCount === 2);
      expect(receiver.received).toHaveLength(2);
    });

    it('release it although they were notified meanwhile, and do not restart more than once a second', async () => {
      const claimDue = jest.spyOn(worker.get(DeliveriesRepository), 'claimDue').mockRejectedValue(lost);
      const releases = worker.get(RunnerLeasesRepository);
      const release = releases.release.bind(releases);
      jest.spyOn(releases, 'release').mockImplementationOnce(async (...lease) => {
        await api.get(RunnerLeasesRepository).notifyHolder(lease[0], api.clock.now());
        return release(...lease);
      });
      await owner.receive('Hello');
      const startedAt = Date.now();
      await eventually(
        () => claimDue.mock.calls.length,
        (count) => count >= 4,
      );
      expect(Date.now() - startedAt).toBeGreaterThan(2_000);
      claimDue.mockRestore();
      await owner.waitForSubscription(webhook, (found) => found.successfulDeliveryCount === 1);
    });
  });

  describe('on a host whose clock is half a second behind', () => {
    let worker: TestService;
    let webhook: string;

    beforeEach(async () => {
      const clock = new TestClock();
      clock.advance(-500);
      webhook = await owner.subscribe(receiver);
      worker = await startWorker(undefined, clock);
    });
    afterEach(() => worker.stop());

    it('deliver events, redeliveries and replays immediately', async () => {
      await owner.receive('Hello');
      const attempts = (count: number) =>
        eventually(
          () => receiver.received.length,
          (length) => length === count,
        );
      await attempts(1);
      const { _id } = await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
      await owner.client.post(`/webhooks/notifications/${_id}/redeliver`).expect(200);
      await attempts(2);
      await owner.waitForDelivery(({ deliveryAttemptCount }) => deliveryAttemptCount === 2);
      const replay = { from: '2026-01-31', status: 'delivered' };
      await owner.client.post(`/webhooks/${webhook}/replay`, replay).expect(200);
      await attempts(3);
    });

    it('relay an event in isolation immediately', async () => {
      // A job would start a run of its own, which the call below would share.
      jest.spyOn(api.get(OutboxQueue), 'notify').mockImplementation(() => undefined);
      await owner.receive('Hello');
      await api.collection('messages').updateOne({}, [{ $set: { relayAloneAt: '$relayDueAt' } }]);
      await worker.get(IsolatedRelayService).run();
      expect(await owner.deliveries()).toHaveLength(1);
    });

    it('make no retry early', async () => {
      receiver.respond = refuseForAnHour();
      await owner.receive('Hello');
      const retrying = await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'retrying');
      const dueAt = new Date(retrying.nextDeliveryAttemptAt ?? '').getTime();
      const subscription = { _id: new Types.ObjectId(webhook), user: owner.client.user };
      const claim = async (at: number) => {
        const limits = { count: 20, bytes: 1_000_000 };
        const until = new Date(dueAt + 30_000);
        return (await api.get(DeliveriesRepository).claimDue(subscription, limits, new Date(at), until))
          .claimed.length;
      };
      expect([await claim(dueAt - 1), await claim(dueAt)]).toEqual([0, 1]);
    });
  });

  it('start a retry from its delayed job when it is due', async () => {
    receiver.respond = respondWith(503);
    await owner.subscribe(receiver);
    await owner.receive('Hello');
    const worker = await startWorker();
    try {
      await owner.waitForDelivery((found) => found.deliveryAttemptCount === 1);
      receiver.respond = respondWith(200);
      await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
      const [first, second, ...more] = receiver.received.map(({ at }) => at);
      expect(more).toEqual([]);
      const gapMs = (second ?? 0) - (first ?? 0);
      expect(gapMs).toBeGreaterThan(4_500);
    } finally {
      await worker.stop();
    }
  });

  it('count a redelivery that is requested while the delivery is claimed as an extra attempt', async () => {
    const webhook = await owner.subscribe(receiver);
    await stored(owner);
    // The clock of another process may be behind or equal.
    api.clock.stop();
    const [{ _id } = { _id: '' }] = await owner.deliveries();
    const model = api.get<Model<Delivery>>(getModelToken(Delivery.name) as never);
    const updateMany = model.updateMany.bind(model);
    const claiming = async (...update: Parameters<typeof updateMany>) => {
      await owner.client.post(`/webhooks/notifications/${_id}/redeliver`).expect(200);
      return updateMany(...update);
    };
    jest.spyOn(model, 'updateMany').mockImplementationOnce(claiming as never);
    const now = api.clock.now();
    const { claimed } = await api
      .get(DeliveriesRepository)
      .claimDue(
        { _id: new Types.ObjectId(webhook), user: owner.client.user },
        { count: 20, bytes: 1_000_000 },
        now,
        new Date(now.getTime() + 30_000),
      );
    expect(claimed).toEqual([expect.objectContaining({ isRedelivery: true, deliveryAttemptCount: 0 })]);
  });
});
