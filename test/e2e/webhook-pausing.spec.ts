import { Types } from 'mongoose';
import { DeliveriesRepository } from '../../src/webhooks/deliveries/deliveries.repository';
import { SubscriptionPauseService } from '../../src/webhooks/pausing/subscription-pause.service';
import { SubscriptionPauseRepository } from '../../src/webhooks/pausing/subscription-pause.repository';
import { AutoPauseScheduler } from '../../src/webhooks/pausing/auto-pause.scheduler';
import { WebhooksScheduler } from '../../src/webhooks/recovery/webhooks.scheduler';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { WebhookOwner } from '../support/webhook-owner';
import { refuseForAnHour, respondWith, WebhookReceiver } from '../support/webhook-receiver';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const WEBHOOK_ALLOWED_CIDRS = '127.0.0.0/8';

describe('pausing webhooks', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS } });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.create(service);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    service.clock.resume();
    await receiver.stop();
  });
  afterAll(() => service.stop());

  const waitBriefly = () => new Promise((resolve) => setTimeout(resolve, 300));
  const pauseFailing = (of = service) => of.get(AutoPauseScheduler).pauseFailing();

  /**
   * Makes failed attempts, each for a new message and without retries, which would be due when the clock moves and
   * count too.
   */
  async function fail(of: WebhookOwner, webhook: string, messages: number): Promise<void> {
    receiver.respond = respondWith(400);
    const { deliveryAttemptCount } = await of.subscription(webhook);
    const before = await of.failingAttempts(webhook);
    for (let index = 0; index < messages; index += 1) await of.receive(new Types.ObjectId().toHexString());
    await of.waitForSubscription(
      webhook,
      (found) => found.deliveryAttemptCount === deliveryAttemptCount + messages,
    );
    // Pausing reads what is stored after the attempts.
    await eventually(
      () => of.failingAttempts(webhook),
      (count) => count === before + messages,
    );
  }

  /** Starts an attempt that stays in flight until the test answers it. */
  async function startAttempt(): Promise<(status: number) => void> {
    let end: (status: number) => void = () => undefined;
    receiver.respond = (_received, response) => {
      end = (status) => response.writeHead(status).end();
    };
    await owner.receive('Hello');
    await eventually(
      () => receiver.openRequests,
      (count) => count === 1,
    );
    return end;
  }

  it('410 pauses the subscription with a note and aborts its pending deliveries', async () => {
    const webhook = await owner.subscribe(receiver);
    receiver.respond = refuseForAnHour();
    await owner.receive('First');
    await owner.waitForDelivery((found) => found.deliveryAttemptCount === 1);
    receiver.respond = respondWith(410);
    await owner.receive('Second');
    const paused = await owner.waitForSubscription(webhook, ({ isActive }) => !isActive);
    expect(paused.notes).toEqual([
      { at: expect.any(String) as string, text: expect.stringContaining('410') as string },
    ]);
    await eventually(
      () => owner.deliveries(),
      (found) => found.length === 2 && found.every(({ computedStatus }) => computedStatus === 'failed'),
    );
    expect(
      await owner.waitForSubscription(webhook, (found) => found.deliveryFailureCount === 2),
    ).toMatchObject({
      deliveryAttemptCount: 2,
    });
    // Further ones are not attempted.
    await owner.receive('Third');
    const deliveries = await eventually(
      () => owner.deliveries(),
      (found) => found.length === 3 && found.every(({ computedStatus }) => computedStatus === 'failed'),
    );
    expect(deliveries[0]?.deliveryAttemptCount).toBe(0);
    expect(receiver.received).toHaveLength(2);
  });

  it.each([
    ['pausing', (webhook: string) => owner.client.patch(`/webhooks/${webhook}`, { isActive: false })],
    ['deleting', (webhook: string) => owner.client.delete(`/webhooks/${webhook}`)],
  ])('%s the subscription aborts its pending deliveries', async (_, stop) => {
    receiver.respond = refuseForAnHour();
    const webhook = await owner.subscribe(receiver);
    await owner.receive('Hello');
    await owner.waitForDelivery((found) => found.deliveryAttemptCount === 1);
    await stop(webhook).expect(200);
    expect(await owner.waitForDelivery(() => true)).toMatchObject({
      computedStatus: 'failed',
      deliveryAttemptAbortedAt: expect.any(String) as string,
    });
    service.clock.advance(HOUR);
    await owner.enqueueJob(webhook);
    await waitBriefly();
    expect(receiver.received).toHaveLength(1);
  });

  it('stores an attempt that is in flight during the pause, and does not retry it', async () => {
    const webhook = await owner.subscribe(receiver);
    const end = await startAttempt();
    await owner.client.patch(`/webhooks/${webhook}`, { isActive: false }).expect(200);
    end(500);
    expect(await owner.waitForDelivery((found) => found.computedStatus === 'failed')).toMatchObject({
      deliveryAttemptCount: 1,
      httpStatusCode: 500,
    });
    expect(
      await owner.waitForSubscription(webhook, (found) => found.deliveryFailureCount === 1),
    ).toMatchObject({
      deliveryAttemptCount: 1,
    });
  });

  it('does not abort deliveries once the subscription is active again', async () => {
    receiver.respond = refuseForAnHour();
    const webhook = await owner.subscribe(receiver);
    await owner.receive('Hello');
    const retrying = await owner.waitForDelivery((found) => found.deliveryAttemptCount === 1);
    // Simulates a re-enable before the abort has finished.
    await service.get(SubscriptionPauseService).abort(new Types.ObjectId(webhook));
    expect(await owner.deliveries()).toEqual([retrying]);
  });

  it('410 of a previous URL does not pause the subscription', async () => {
    const webhook = await owner.subscribe(receiver);
    const end = await startAttempt();
    const successor = await WebhookReceiver.start();
    try {
      await owner.client.patch(`/webhooks/${webhook}`, { deliveryUrl: successor.url }).expect(200);
      end(410);
      await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'failed');
      await owner.receive('To the new one');
      await owner.waitForSubscription(webhook, (found) => found.successfulDeliveryCount === 1);
      expect(await owner.subscription(webhook)).toMatchObject({ isActive: true, notes: [] });
    } finally {
      await successor.stop();
    }
  });

  it('410 pauses the subscription even if the worker dies before it stores the attempt', async () => {
    jest.spyOn(service.get(DeliveriesRepository), 'storeResults').mockRejectedValueOnce(new Error('killed'));
    receiver.respond = respondWith(410);
    const webhook = await owner.subscribe(receiver);
    await owner.receive('Hello');
    await owner.waitForSubscription(webhook, ({ isActive }) => !isActive);
    service.clock.advance(31 * SECOND);
    await service.get(WebhooksScheduler).enqueueOverdueDeliveries();
    await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'failed');
    expect(receiver.received).toHaveLength(1);
  });

  describe('automatic pausing', () => {
    it('pauses after 72 hours with at least 20 failed attempts and no success, with a note', async () => {
      service.clock.stop();
      const webhook = await owner.subscribe(receiver);
      await fail(owner, webhook, 20);
      service.clock.advance(72 * HOUR - SECOND);
      await pauseFailing();
      expect(await owner.subscription(webhook)).toMatchObject({ isActive: true });
      service.clock.advance(SECOND);
      await pauseFailing();
      const paused = await owner.subscription(webhook);
      expect(paused.isActive).toBe(false);
      expect(paused.notes).toHaveLength(1);
      expect(paused.notes[0]?.text).toMatch(/all 20 attempts of the last 72 hours failed/);

      await owner.receive('While it is paused');
      await owner.enqueueJob(webhook);
      const deliveries = await eventually(
        () => owner.deliveries(),
        ({ length }) => length === 21,
      );
      await waitBriefly();
      expect(receiver.received).toHaveLength(20);
      expect(deliveries.filter((found) => found.deliveryAttemptCount > 0)).toHaveLength(20);
    });

    it('starts counting again when the subscription is re-enabled', async () => {
      service.clock.stop();
      const webhook = await owner.subscribe(receiver);
      await fail(owner, webhook, 20);
      service.clock.advance(72 * HOUR);
      await pauseFailing();
      const { isActive, notes } = await owner.subscription(webhook);
      expect([isActive, notes.length]).toEqual([false, 1]);
      const enabled = await owner.client.patch(`/webhooks/${webhook}`, { isActive: true });
      expect(enabled.body).toMatchObject({ data: { isActive: true, notes } });

      await pauseFailing();
      await fail(owner, webhook, 19);
      await pauseFailing();
      service.clock.advance(73 * HOUR);
      await pauseFailing();
      expect(await owner.subscription(webhook)).toMatchObject({ isActive: true });
      await fail(owner, webhook, 1);
      await pauseFailing();
      const again = await owner.subscription(webhook);
      expect(again.isActive).toBe(false);
      expect(again.notes[1]?.text).toMatch(/all 20 attempts of the last 73 hours failed/);
    });

    it('does not pause when an attempt succeeded in between', async () => {
      const webhook = await owner.subscribe(receiver);
      await fail(owner, webhook, 20);
      service.clock.advance(71 * HOUR);
      await succeed(webhook);
      service.clock.advance(HOUR);
      await fail(owner, webhook, 1);
      await pauseFailing();
      expect(await owner.subscription(webhook)).toMatchObject({ isActive: true });
    });

    it('does not pause when an attempt succeeds during the check', async () => {
      const webhook = await owner.subscribe(receiver);
      await fail(owner, webhook, 20);
      const subscriptions = service.get(SubscriptionPauseRepository);
      const listFailing = subscriptions.listFailing.bind(subscriptions);
      jest.spyOn(subscriptions, 'listFailing').mockImplementationOnce(async (...args) => {
        const failing = await listFailing(...args);
        expect(failing.map(({ _id }) => String(_id))).toContain(webhook);
        await succeed(webhook);
        return failing;
      });
      service.clock.advance(72 * HOUR);
      await pauseFailing();
      expect(await owner.subscription(webhook)).toMatchObject({ isActive: true, notes: [] });
    });

    async function succeed(webhook: string): Promise<void> {
      receiver.respond = respondWith(200);
      await owner.receive('One that arrives');
      await owner.waitForSubscription(webhook, (found) => found.successfulDeliveryCount > 0);
      await eventually(
        () => owner.failingAttempts(webhook),
        (count) => count === 0,
      );
    }

    it('uses the configured limits', async () => {
      const other = await TestService.start({
        environment: {
          WEBHOOK_ALLOWED_CIDRS,
          WEBHOOK_PAUSE_AFTER_HOURS: '1',
          WEBHOOK_PAUSE_AFTER_FAILURES: '3',
          WEBHOOK_MAX_SUBSCRIPTIONS: '2',
        },
      });
      try {
        other.clock.stop();
        const others = await WebhookOwner.create(other);
        const webhook = await others.subscribe(receiver);
        await others.subscribe(receiver, { events: ['MESSAGE_SENT'] });
        await expect(others.subscribe(receiver)).rejects.toThrow('WEBHOOK_LIMIT_REACHED');

        const isActive = async () => {
          await pauseFailing(other);
          return (await others.subscription(webhook)).isActive;
        };
        await fail(others, webhook, 2);
        other.clock.advance(HOUR);
        expect(await isActive()).toBe(true);
        await fail(others, webhook, 1);
        expect(await isActive()).toBe(false);
        await others.client.patch(`/webhooks/${webhook}`, { isActive: true }).expect(200);
        await fail(others, webhook, 3);
        other.clock.advance(HOUR - SECOND);
        expect(await isActive()).toBe(true);
        other.clock.advance(SECOND);
        expect(await isActive()).toBe(false);
      } finally {
        await other.stop();
      }
    });
  });
});
