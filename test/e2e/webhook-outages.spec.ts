import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { TcpProxy } from '../support/tcp-proxy';
import { WebhookOwner } from '../support/webhook-owner';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';

/** Sweeps every 5 s find what has been due for 5 s; sweeps that rest would take a minute. */
const BEFORE_A_RESTING_SWEEP_MS = 50_000;

describe('webhooks during outages', () => {
  let redis: TcpProxy;
  let mongo: TcpProxy;
  let service: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;

  let environment: Record<string, string>;

  beforeEach(async () => {
    const { MONGODB_URI = '', REDIS_URL = '' } = process.env;
    [redis, mongo] = [await TcpProxy.to(REDIS_URL), await TcpProxy.to(MONGODB_URI)];
    environment = {
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      REDIS_URL: redis.via(REDIS_URL),
      MONGODB_URI: mongo.via(MONGODB_URI),
    };
    service = await TestService.start({ environment });
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.create(service);
  });
  afterEach(async () => {
    redis.restore();
    mongo.restore();
    await receiver.stop();
    await Promise.all([redis.close(), mongo.close()]);
  });

  it.each(['cut', 'freeze'] as const)('delivers events after Redis is back (%s)', async (how) => {
    await owner.subscribe(receiver);
    redis[how]();
    const ids = [await owner.receive('First'), await owner.receive('Second')];
    redis.restore();
    await eventually(
      () => receiver.received.map(({ event }) => event.smsId).sort(),
      (received) => JSON.stringify(received) === JSON.stringify([...ids].sort()),
      BEFORE_A_RESTING_SWEEP_MS,
    );
    await service.stop();
  });

  it.each(['cut', 'freeze'] as const)(
    'delivers and retries while Redis is down (%s), each event once',
    async (how) => {
      const webhook = await owner.subscribe(receiver);
      receiver.respond = respondWith(503);
      redis[how]();
      await owner.receive('First');
      await eventually(
        () => receiver.received.length,
        (count) => count === 1,
        BEFORE_A_RESTING_SWEEP_MS,
      );
      await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'retrying');
      receiver.respond = respondWith(200);
      await owner.receive('Second');
      await eventually(
        () => owner.deliveries('&status=delivered'),
        ({ length }) => length === 2,
        BEFORE_A_RESTING_SWEEP_MS,
      );
      expect(receiver.received).toHaveLength(3);
      expect(await owner.subscription(webhook)).toMatchObject({
        successfulDeliveryCount: 2,
        deliveryAttemptCount: 3,
      });
      redis.restore();
      await service.stop();
    },
  );

  it('delivers from a scheduler without workers while Redis is down, and finishes the attempt when it stops', async () => {
    service.stopTimers();
    const scheduler = await TestService.start({
      environment: { ...environment, APP_ROLES: 'scheduler' },
      shared: service,
    });
    await owner.subscribe(receiver);
    let answer: () => void = () => undefined;
    receiver.respond = (_, response) => {
      answer = () => response.writeHead(200).end();
    };
    redis.cut();
    await owner.receive('Hello');
    await eventually(
      () => receiver.openRequests,
      (count) => count === 1,
      BEFORE_A_RESTING_SWEEP_MS,
    );
    const stopped = scheduler.stop();
    setTimeout(answer, 500);
    await stopped;
    expect(await owner.deliveries()).toEqual([expect.objectContaining({ computedStatus: 'delivered' })]);
    redis.restore();
    await service.stop();
  });

  it('stores or repeats an attempt when the database fails during it', async () => {
    const webhook = await owner.subscribe(receiver);
    receiver.respond = (_, response) => {
      mongo.cut();
      response.writeHead(200).end();
    };
    await owner.receive('Hello');
    await eventually(
      () => receiver.received.length,
      (count) => count === 1,
    );
    receiver.respond = (_, response) => response.writeHead(200).end();
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    mongo.restore();
    service.clock.advance(31_000);
    await eventually(
      // Until the driver has found the database again, the answer is 503.
      () =>
        owner.deliveries().then(
          ([first]) => first,
          () => undefined,
        ),
      (delivery) => delivery?.computedStatus === 'delivered',
    );
    expect(new Set(receiver.received.map(({ event }) => event.idempotencyKey)).size).toBe(1);
    expect(
      await owner.waitForSubscription(webhook, (found) => found.successfulDeliveryCount === 1),
    ).toMatchObject({
      deliveryFailureCount: 0,
    });
    await service.stop();
  });

  // shutdown.spec.ts covers a Redis that refuses connections, in a separate process.
  it('stores the results of attempts in flight on shutdown while Redis is frozen, within 20 s', async () => {
    await owner.subscribe(receiver);
    let answer: () => void = () => undefined;
    receiver.respond = (_, response) => {
      answer = () => response.writeHead(200).end();
    };
    await owner.receive('Hello');
    await eventually(
      () => receiver.received.length,
      (count) => count === 1,
    );
    redis.freeze();
    const startedAt = Date.now();
    // The database stops with the service, so read the record before.
    const deliveries = service.collection('webhookdeliveries');
    const written = eventually(
      () => deliveries.findOne(),
      (found) => found?.computedStatus === 'delivered',
      20_000,
    );
    const stopped = service.app.close();
    setTimeout(answer, 500);
    await written;
    await stopped;
    expect(Date.now() - startedAt).toBeLessThan(20_000);
  });
});
