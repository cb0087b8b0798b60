import { WebhooksScheduler } from '../../src/webhooks/webhooks.scheduler';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { WebhookOwner } from '../support/webhook-owner';
import { answering, WebhookReceiver } from '../support/webhook-receiver';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const GAPS = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR)];

describe('webhook retries', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;
  let chance = 0;

  beforeAll(async () => {
    service = await TestService.start({
      environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' },
      jitter: { next: () => chance },
    });
  });
  beforeEach(async () => {
    chance = 0;
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.make(service);
  });
  afterEach(async () => {
    service.clock.resume();
    await receiver.stop();
  });
  afterAll(() => service.stop());

  const timeOf = (text: string | undefined) => new Date(text ?? '').getTime();

  /** When the attempts that reached the endpoint say they were made, in seconds since 1970. */
  const timestamps = () => receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));

  /** Moves time to when the next attempt is due, and waits until it was made. */
  async function nextAttempt(webhook: string, count: number) {
    const { nextDeliveryAttemptAt } = await owner.delivery(
      (found) => found.deliveryAttemptCount === count - 1,
    );
    service.clock.advance(timeOf(nextDeliveryAttemptAt) - service.clock.now().getTime());
    await owner.wake(webhook);
    return owner.delivery((found) => found.deliveryAttemptCount === count);
  }

  it.each([0, 1, -1])('ten attempts over 75 hours, with chance at %d, and then failed', async (dice) => {
    chance = dice;
    service.clock.stop();
    receiver.answer = answering(503, 'later');
    const webhook = await owner.subscribe(receiver);
    const start = service.clock.now().getTime();
    await owner.receive('Hello');
    const first = await owner.delivery((found) => found.deliveryAttemptCount === 1);
    const attemptTimes = [timeOf(first.lastDeliveryAttemptAt)];
    expect(first).toMatchObject({
      computedStatus: 'retrying',
      errorType: 'retryable',
      httpStatusCode: 503,
      responseBody: 'later',
    });
    for (const [index] of GAPS.entries()) {
      const delivery = await nextAttempt(webhook, index + 2);
      attemptTimes.push(timeOf(delivery.lastDeliveryAttemptAt));
      expect(receiver.received).toHaveLength(index + 2);
    }
    const expected = [start];
    for (const gap of GAPS) expected.push((expected.at(-1) ?? 0) + Math.round(gap * (1 + dice / 10)));
    expect(attemptTimes).toEqual(expected);
    expect(timestamps()).toEqual(expected.map((time) => Math.floor(time / SECOND)));
    const failed = await owner.delivery((found) => found.computedStatus === 'failed');
    expect(failed).toMatchObject({ deliveryAttemptCount: 10, errorType: 'retryable' });
    expect(timeOf(failed.deliveryAttemptAbortedAt)).toBe(attemptTimes[9]);
    expect(failed).not.toHaveProperty('nextDeliveryAttemptAt');
    expect(new Set(receiver.received.map(({ event }) => event.idempotencyKey)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(
      await owner.whenSubscription(webhook, ({ deliveryAttemptCount }) => deliveryAttemptCount === 10),
    ).toMatchObject({ deliveryFailureCount: 1, successfulDeliveryCount: 0, isActive: true });
    // There is no eleventh.
    service.clock.advance(100 * HOUR);
    await owner.wake(webhook);
    await service.get(WebhooksScheduler).wakeOverdue();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(receiver.received).toHaveLength(10);
  });

  it('an attempt that succeeds ends it', async () => {
    service.clock.stop();
    receiver.answer = answering(500);
    const webhook = await owner.subscribe(receiver);
    await owner.receive('Hello');
    await owner.delivery((found) => found.deliveryAttemptCount === 1);
    receiver.answer = answering(204);
    const delivered = await nextAttempt(webhook, 2);
    expect(delivered).toMatchObject({ computedStatus: 'delivered', httpStatusCode: 204, responseBody: '' });
    expect(delivered).not.toHaveProperty('errorType');
    expect(delivered).not.toHaveProperty('nextDeliveryAttemptAt');
    expect(timeOf(delivered.deliveredAt)).toBe(timeOf(delivered.lastDeliveryAttemptAt));
  });

  it.each([
    ['seconds', () => '600', 600 * SECOND],
    ['a date', () => new Date(service.clock.now().getTime() + 2 * HOUR).toUTCString(), 2 * HOUR],
    ['less than the gap', () => '1', 5 * SECOND],
    ['more than a day', () => '999999', 24 * HOUR],
    ['nonsense', () => 'soon', 5 * SECOND],
  ])('Retry-After in %s can only lengthen the gap', async (_, retryAfter, gap) => {
    service.clock.stop();
    receiver.answer = (_received, response) => {
      response.writeHead(429, { 'retry-after': retryAfter() }).end();
    };
    const webhook = await owner.subscribe(receiver);
    await owner.receive('Hello');
    const delivery = await owner.delivery((found) => found.deliveryAttemptCount === 1);
    const actual = timeOf(delivery.nextDeliveryAttemptAt) - timeOf(delivery.lastDeliveryAttemptAt);
    // An HTTP date has whole seconds.
    expect(gap - actual).toBeLessThan(SECOND);
    expect(gap - actual).toBeGreaterThanOrEqual(0);
    await nextAttempt(webhook, 2);
    const [first = 0, second = 0] = timestamps();
    expect(receiver.received).toHaveLength(2);
    expect(Math.abs(second - first - gap / SECOND)).toBeLessThanOrEqual(1);
  });

  it.each([408, 425, 429, 500, 502, 503, 599])(
    '%d is retried, when it was asked for, under the same key',
    async (status) => {
      service.clock.stop();
      receiver.answer = answering(status, '', { 'retry-after': '60' });
      const webhook = await owner.subscribe(receiver);
      await owner.receive('Hello');
      expect(await owner.delivery((found) => found.deliveryAttemptCount === 1)).toMatchObject({
        computedStatus: 'retrying',
        errorType: 'retryable',
        httpStatusCode: status,
      });
      await nextAttempt(webhook, 2);
      expect(receiver.received).toHaveLength(2);
      const [first = 0, second = 0] = timestamps();
      expect(second - first).toBe(60);
      expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    },
  );

  it.each([301, 302, 304, 307, 400, 401, 403, 404, 422])(
    '%d is not retried, nor followed',
    async (status) => {
      receiver.answer = answering(status, '', { location: receiver.url.replace('/hook', '/elsewhere') });
      const webhook = await owner.subscribe(receiver);
      await owner.receive('Hello');
      const failed = await owner.delivery((found) => found.deliveryAttemptCount === 1);
      expect(failed).toMatchObject({
        computedStatus: 'failed',
        errorType: 'non-retryable',
        httpStatusCode: status,
        deliveryAttemptAbortedAt: expect.any(String) as string,
      });
      expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
      expect(await owner.subscription(webhook)).toMatchObject({ isActive: true });
    },
  );

  it('410 pauses the subscription with a note, and ends what else waits', async () => {
    const webhook = await owner.subscribe(receiver);
    receiver.answer = answering(503);
    await owner.receive('First');
    await owner.delivery((found) => found.deliveryAttemptCount === 1);
    receiver.answer = answering(410);
    await owner.receive('Second');
    const paused = await owner.whenSubscription(webhook, ({ isActive }) => !isActive);
    expect(paused.notes).toEqual([
      { at: expect.any(String) as string, text: expect.stringContaining('410') as string },
    ]);
    await eventually(
      () => owner.deliveries(),
      (found) => found.length === 2 && found.every(({ computedStatus }) => computedStatus === 'failed'),
    );
    expect(await owner.whenSubscription(webhook, (found) => found.deliveryFailureCount === 2)).toMatchObject({
      deliveryAttemptCount: 2,
    });
    // Nothing more is created for it.
    await owner.receive('Third');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await owner.deliveries()).toHaveLength(2);
  });

  describe('auto-pause', () => {
    /** So many failed attempts; without retries, which would come due as the time moves on, and count. */
    async function fail(webhook: string, messages: number): Promise<void> {
      receiver.answer = answering(400);
      const { deliveryAttemptCount } = await owner.subscription(webhook);
      for (let index = 0; index < messages; index += 1) await owner.receive(`Message ${index}`);
      await owner.whenSubscription(
        webhook,
        (found) => found.deliveryAttemptCount >= deliveryAttemptCount + messages,
      );
    }

    const pauseFailing = () => service.get(WebhooksScheduler).pauseFailing();

    it('after 72 hours with 20 failed attempts and none that succeeded, with the numbers; PATCH re-enables it', async () => {
      const webhook = await owner.subscribe(receiver);
      await fail(webhook, 19);
      service.clock.advance(72 * HOUR - SECOND);
      await pauseFailing();
      expect(await owner.subscription(webhook)).toMatchObject({ isActive: true });
      service.clock.advance(SECOND);
      await pauseFailing();
      // Long enough, and one attempt too few.
      expect(await owner.subscription(webhook)).toMatchObject({ isActive: true });
      await fail(webhook, 1);
      await pauseFailing();
      const paused = await owner.subscription(webhook);
      expect(paused.isActive).toBe(false);
      expect(paused.notes).toHaveLength(1);
      expect(paused.notes[0]?.text).toMatch(/all 20 attempts of the last 72 hours failed/);
      const deliveries = await eventually(
        () => owner.deliveries(),
        (found) => found.every(({ computedStatus }) => computedStatus === 'failed'),
      );
      expect(deliveries[0]).toMatchObject({ deliveryAttemptAbortedAt: expect.any(String) as string });

      const enabled = await owner.client.patch(`/webhooks/${webhook}`, { isActive: true });
      expect(enabled.body).toMatchObject({ data: { isActive: true, notes: paused.notes } });
      receiver.answer = answering(200);
      const sms = await owner.receive('Back again');
      await eventually(
        () => owner.deliveries(),
        (found) =>
          found.some(
            ({ payload, computedStatus }) => payload.smsId === sms && computedStatus === 'delivered',
          ),
      );
      // The count starts afresh.
      await fail(webhook, 1);
      service.clock.advance(73 * HOUR);
      await pauseFailing();
      expect(await owner.subscription(webhook)).toMatchObject({ isActive: true });
    });

    it('not when an attempt succeeded in between', async () => {
      const webhook = await owner.subscribe(receiver);
      await fail(webhook, 20);
      service.clock.advance(71 * HOUR);
      receiver.answer = answering(200);
      await owner.receive('One that arrives');
      await owner.whenSubscription(webhook, (found) => found.successfulDeliveryCount > 0);
      service.clock.advance(HOUR);
      await fail(webhook, 1);
      await pauseFailing();
      expect(await owner.subscription(webhook)).toMatchObject({ isActive: true });
    });
  });

  it.each([
    ['pausing', (webhook: string) => owner.client.patch(`/webhooks/${webhook}`, { isActive: false })],
    ['deleting', (webhook: string) => owner.client.delete(`/webhooks/${webhook}`)],
  ])('%s ends what is under way', async (_, stop) => {
    receiver.answer = answering(500);
    const webhook = await owner.subscribe(receiver);
    await owner.receive('Hello');
    await owner.delivery((found) => found.deliveryAttemptCount === 1);
    await stop(webhook).expect(200);
    expect(await owner.delivery(() => true)).toMatchObject({
      computedStatus: 'failed',
      deliveryAttemptAbortedAt: expect.any(String) as string,
    });
    service.clock.advance(HOUR);
    await owner.wake(webhook);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(receiver.received).toHaveLength(1);
  });

  it('what is in flight when its subscription is paused is written down, and not repeated', async () => {
    let release: () => void = () => undefined;
    receiver.answer = (_received, response) => {
      release = () => response.writeHead(500).end();
    };
    const webhook = await owner.subscribe(receiver);
    await owner.receive('Hello');
    await eventually(
      () => receiver.received.length,
      (count) => count === 1,
    );
    await owner.client.patch(`/webhooks/${webhook}`, { isActive: false }).expect(200);
    release();
    expect(await owner.delivery((found) => found.computedStatus === 'failed')).toMatchObject({
      deliveryAttemptCount: 1,
      httpStatusCode: 500,
    });
    expect(await owner.whenSubscription(webhook, (found) => found.deliveryFailureCount === 1)).toMatchObject({
      deliveryAttemptCount: 1,
    });
  });
});
