import { WebhooksScheduler } from '../../src/webhooks/recovery/webhooks.scheduler';
import { TestService } from '../support/service';
import { WebhookOwner } from '../support/webhook-owner';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';

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
    owner = await WebhookOwner.create(service);
  });
  afterEach(async () => {
    service.clock.resume();
    await receiver.stop();
  });
  afterAll(() => service.stop());

  const timeOf = (text: string | undefined) => new Date(text ?? '').getTime();

  /** The webhook-timestamp of each attempt that reached the endpoint, in seconds. */
  const timestamps = () => receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));

  /** Moves the clock to the next attempt and waits until it is made. */
  async function nextAttempt(webhook: string, count: number) {
    const { nextDeliveryAttemptAt } = await owner.waitForDelivery(
      (found) => found.deliveryAttemptCount === count - 1,
    );
    service.clock.advance(timeOf(nextDeliveryAttemptAt) - service.clock.now().getTime());
    await owner.enqueueJob(webhook);
    return owner.waitForDelivery((found) => found.deliveryAttemptCount === count);
  }

  it.each([0, 1, -1])('makes ten attempts over 75 hours and then fails, with jitter %d', async (jitter) => {
    chance = jitter;
    service.clock.stop();
    receiver.respond = respondWith(503, 'later');
    const webhook = await owner.subscribe(receiver);
    const start = service.clock.now().getTime();
    await owner.receive('Hello');
    const first = await owner.waitForDelivery((found) => found.deliveryAttemptCount === 1);
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
    for (const delay of GAPS) expected.push((expected.at(-1) ?? 0) + Math.round(delay * (1 + jitter / 10)));
    expect(attemptTimes).toEqual(expected);
    expect(timestamps()).toEqual(expected.map((time) => Math.floor(time / SECOND)));
    const failed = await owner.waitForDelivery((found) => found.computedStatus === 'failed');
    expect(failed).toMatchObject({ deliveryAttemptCount: 10, errorType: 'retryable' });
    expect(timeOf(failed.deliveryAttemptAbortedAt)).toBe(attemptTimes[9]);
    expect(failed).not.toHaveProperty('nextDeliveryAttemptAt');
    expect(new Set(receiver.received.map(({ event }) => event.idempotencyKey)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    expect(
      await owner.waitForSubscription(webhook, ({ deliveryAttemptCount }) => deliveryAttemptCount === 10),
    ).toMatchObject({ deliveryFailureCount: 1, successfulDeliveryCount: 0, isActive: true });
    // There is no eleventh attempt.
    service.clock.advance(100 * HOUR);
    await owner.enqueueJob(webhook);
    await service.get(WebhooksScheduler).enqueueOverdueDeliveries();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(receiver.received).toHaveLength(10);
  });

  it('stop after a successful attempt', async () => {
    service.clock.stop();
    receiver.respond = respondWith(500);
    const webhook = await owner.subscribe(receiver);
    await owner.receive('Hello');
    await owner.waitForDelivery((found) => found.deliveryAttemptCount === 1);
    receiver.respond = respondWith(204);
    const delivered = await nextAttempt(webhook, 2);
    expect(delivered).toMatchObject({ computedStatus: 'delivered', httpStatusCode: 204, responseBody: '' });
    expect(delivered).not.toHaveProperty('errorType');
    expect(delivered).not.toHaveProperty('nextDeliveryAttemptAt');
    expect(timeOf(delivered.deliveredAt)).toBe(timeOf(delivered.lastDeliveryAttemptAt));
  });

  it.each([
    ['seconds', () => '600', 600 * SECOND],
    ['a date', () => new Date(service.clock.now().getTime() + 2 * HOUR).toUTCString(), 2 * HOUR],
    ['less than the scheduled delay', () => '1', 5 * SECOND],
    ['more than a day', () => '999999', 24 * HOUR],
    ['nonsense', () => 'soon', 5 * SECOND],
  ])('are delayed by Retry-After, but never earlier than scheduled: %s', async (_, retryAfter, delay) => {
    service.clock.stop();
    receiver.respond = (_received, response) => {
      response.writeHead(429, { 'retry-after': retryAfter() }).end();
    };
    const webhook = await owner.subscribe(receiver);
    await owner.receive('Hello');
    const delivery = await owner.waitForDelivery((found) => found.deliveryAttemptCount === 1);
    const actual = timeOf(delivery.nextDeliveryAttemptAt) - timeOf(delivery.lastDeliveryAttemptAt);
    // HTTP dates have whole seconds.
    expect(delay - actual).toBeLessThan(SECOND);
    expect(delay - actual).toBeGreaterThanOrEqual(0);
    await nextAttempt(webhook, 2);
    const [first = 0, second = 0] = timestamps();
    expect(receiver.received).toHaveLength(2);
    expect(Math.abs(second - first - delay / SECOND)).toBeLessThanOrEqual(1);
  });

  it.each([403, 404, 408, 425, 429, 500, 502, 503, 599])('retry %d with the same key', async (status) => {
    service.clock.stop();
    receiver.respond = respondWith(status, '', { 'retry-after': '60' });
    const webhook = await owner.subscribe(receiver);
    await owner.receive('Hello');
    expect(await owner.waitForDelivery((found) => found.deliveryAttemptCount === 1)).toMatchObject({
      computedStatus: 'retrying',
      errorType: 'retryable',
      httpStatusCode: status,
    });
    await nextAttempt(webhook, 2);
    expect(receiver.received).toHaveLength(2);
    const [first = 0, second = 0] = timestamps();
    expect(second - first).toBe(60);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
  });

  it.each([301, 302, 304, 307, 400, 401, 405, 422])('do not retry or follow %d', async (status) => {
    receiver.respond = respondWith(status, '', { location: receiver.url.replace('/hook', '/elsewhere') });
    const webhook = await owner.subscribe(receiver);
    await owner.receive('Hello');
    const failed = await owner.waitForDelivery((found) => found.deliveryAttemptCount === 1);
    expect(failed).toMatchObject({
      computedStatus: 'failed',
      errorType: 'non-retryable',
      httpStatusCode: status,
      deliveryAttemptAbortedAt: expect.any(String) as string,
    });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook']);
    expect(await owner.subscription(webhook)).toMatchObject({ isActive: true });
  });
});
