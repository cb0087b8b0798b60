import { Types } from 'mongoose';
import { WebhooksScheduler } from '../../src/webhooks/recovery/webhooks.scheduler';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';
import { type DeliveryJson, WebhookOwner } from '../support/webhook-owner';
import { neverRespond, refuseForAnHour, respondWith, WebhookReceiver } from '../support/webhook-receiver';

const HOUR = 3_600_000;

interface Refusal {
  readonly code: string;
}

describe('redelivery and replay', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;
  let webhook: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
  });
  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.create(service);
    webhook = await owner.subscribe(receiver);
  });
  afterEach(() => receiver.stop());
  afterAll(() => service.stop());

  const settled = ({ computedStatus }: DeliveryJson) => ['delivered', 'failed'].includes(computedStatus);
  const redeliver = (id: string) => owner.client.post(`/webhooks/notifications/${id}/redeliver`);
  const timeOf = (text: string | undefined) => new Date(text ?? '').getTime();
  const keys = () => new Set(receiver.received.map(({ event }) => event.idempotencyKey));

  /** A delivery with the status failed. */
  async function failedDelivery(): Promise<DeliveryJson> {
    receiver.respond = respondWith(400, 'no');
    await owner.receive('Hello');
    const failed = await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'failed');
    await owner.waitForSubscription(webhook, (found) => found.deliveryFailureCount === 1);
    return failed;
  }

  describe('a redelivery', () => {
    it('of a failed delivery makes one more attempt with the same body and key, and updates the counters', async () => {
      const failed = await failedDelivery();
      receiver.respond = respondWith(200);
      const answer = await redeliver(failed._id);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({ data: { _id: failed._id, idempotencyKey: failed.idempotencyKey } });
      const delivered = await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
      expect(delivered).toMatchObject({ deliveryAttemptCount: 2, idempotencyKey: failed.idempotencyKey });
      expect(delivered).not.toHaveProperty('deliveryAttemptAbortedAt');
      expect(delivered).not.toHaveProperty('errorType');
      expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
      expect(
        await owner.waitForSubscription(webhook, (found) => found.successfulDeliveryCount === 1),
      ).toMatchObject({ deliveryFailureCount: 0, deliveryAttemptCount: 2 });
    });

    it.each([400, 503])(
      'that fails with %d leaves the delivery failed and schedules no retry',
      async (status) => {
        const failed = await failedDelivery();
        receiver.respond = respondWith(status);
        await redeliver(failed._id).expect(200);
        const again = await owner.waitForDelivery(
          (found) => found.deliveryAttemptCount === 2 && settled(found),
        );
        expect(again).toMatchObject({ computedStatus: 'failed', httpStatusCode: status });
        expect(again).not.toHaveProperty('nextDeliveryAttemptAt');
        expect(
          await owner.waitForSubscription(webhook, (found) => found.deliveryAttemptCount === 2),
        ).toMatchObject({ deliveryFailureCount: 1 });
      },
    );

    it('that fails leaves a delivered delivery delivered', async () => {
      await owner.receive('Hello');
      const delivered = await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
      receiver.respond = respondWith(500);
      await redeliver(delivered._id).expect(200);
      const after = await owner.waitForDelivery((found) => found.deliveryAttemptCount === 2);
      expect(after).toMatchObject({
        computedStatus: 'delivered',
        deliveredAt: delivered.deliveredAt,
        httpStatusCode: 500,
      });
      expect(
        await owner.waitForSubscription(webhook, (found) => found.deliveryAttemptCount === 2),
      ).toMatchObject({ successfulDeliveryCount: 1, deliveryFailureCount: 0 });
      expect(after).not.toHaveProperty('nextDeliveryAttemptAt');
    });

    it('of a retrying delivery is made immediately and does not change when the next attempt is due', async () => {
      service.clock.stop();
      receiver.respond = refuseForAnHour();
      await owner.receive('Hello');
      const first = await owner.waitForDelivery((found) => found.deliveryAttemptCount === 1);
      const { nextDeliveryAttemptAt } = first;
      for (const attempts of [2, 3]) {
        service.clock.advance(HOUR / 3);
        expect((await redeliver(first._id)).body).toMatchObject({
          data: { nextDeliveryAttemptAt: service.clock.now().toISOString() },
        });
        const retrying = await owner.waitForDelivery((found) => found.deliveryAttemptCount === attempts);
        expect(retrying).toMatchObject({ computedStatus: 'retrying', nextDeliveryAttemptAt });
      }
      service.clock.advance(HOUR / 3);
      await owner.enqueueJob(webhook);
      const last = await owner.waitForDelivery((found) => found.deliveryAttemptCount === 4);
      service.clock.resume();
      // The second attempt of the schedule, whose delay counts from itself.
      const gap = timeOf(last.nextDeliveryAttemptAt) - timeOf(last.lastDeliveryAttemptAt);
      expect(gap).toBe(HOUR);
    });

    it('of a delivered delivery leaves the schedule of its replay', async () => {
      await owner.receive('Hello');
      const { _id } = await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
      service.clock.stop();
      receiver.respond = respondWith(500);
      await owner.client
        .post(`/webhooks/${webhook}/replay`, { from: '2026-01-31', status: 'delivered' })
        .expect(200);
      const { nextDeliveryAttemptAt } = await owner.waitForDelivery(
        (found) => found.deliveryAttemptCount === 2,
      );
      service.clock.advance(2_000);
      await redeliver(_id).expect(200);
      const after = await owner.waitForDelivery((found) => found.deliveryAttemptCount === 3);
      service.clock.resume();
      expect(nextDeliveryAttemptAt).toBeDefined();
      expect(after).toMatchObject({ computedStatus: 'delivered', nextDeliveryAttemptAt });
    });

    it('is made once for ten concurrent requests', async () => {
      const failed = await failedDelivery();
      receiver.respond = neverRespond;
      const answers = await Promise.all(Array.from({ length: 10 }, () => redeliver(failed._id)));
      // Requests that arrive after the attempt has begun are refused.
      const outcomes = answers.map(({ status, body }) =>
        status === 200 ? 'ACCEPTED' : (body as Refusal).code,
      );
      expect(outcomes).toContain('ACCEPTED');
      expect(outcomes.filter((code) => !['ACCEPTED', 'DELIVERY_UNDER_WAY'].includes(code))).toEqual([]);
      await eventually(
        () => receiver.received.length,
        (count) => count === 2,
      );
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(receiver.received).toHaveLength(2);
      expect(await owner.subscription(webhook)).toMatchObject({ deliveryFailureCount: 0 });
    });

    it('is refused while an attempt is in flight', async () => {
      let end: () => void = () => undefined;
      receiver.respond = (_, response) => (end = () => response.writeHead(500).end());
      await owner.receive('Hello');
      await eventually(
        () => receiver.received.length,
        (count) => count === 1,
      );
      const { _id } = await owner.waitForDelivery(() => true);
      const refused = await redeliver(_id);
      expect([refused.status, refused.body]).toEqual([
        400,
        expect.objectContaining({ code: 'DELIVERY_UNDER_WAY' }),
      ]);
      receiver.respond = respondWith(200);
      end();
      await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'retrying');
      await redeliver(_id).expect(200);
      await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
    });

    it('is refused when the subscription is paused or deleted', async () => {
      const failed = await failedDelivery();
      await owner.client.patch(`/webhooks/${webhook}`, { isActive: false }).expect(200);
      const paused = await redeliver(failed._id);
      expect([paused.status, paused.body]).toEqual([
        400,
        expect.objectContaining({ code: 'WEBHOOK_PAUSED' }),
      ]);
      await owner.client.delete(`/webhooks/${webhook}`).expect(200);
      const deleted = await redeliver(failed._id);
      expect([deleted.status, deleted.body]).toEqual([
        400,
        expect.objectContaining({ code: 'WEBHOOK_DELETED' }),
      ]);
      expect(await owner.waitForDelivery(() => true)).toEqual(failed);
    });

    it('fails when the subscription is paused before the attempt', async () => {
      const failed = await failedDelivery();
      receiver.respond = respondWith(200);
      // Simulates a worker that is down until after the pause.
      await service.collection('webhookdeliveries').updateOne(
        { event: 'MESSAGE_RECEIVED', body: { $regex: webhook } },
        {
          $set: {
            computedStatus: 'retrying',
            isRedelivery: true,
            nextDeliveryAttemptAt: service.clock.now(),
          },
        },
      );
      await owner.client.patch(`/webhooks/${webhook}`, { isActive: false }).expect(200);
      const after = await owner.waitForDelivery(settled);
      expect(after).toMatchObject({ _id: failed._id, computedStatus: 'failed', deliveryAttemptCount: 1 });
    });
  });

  it('lists the attempts of a delivery', async () => {
    receiver.respond = refuseForAnHour(500, 'oops');
    await owner.receive('Hello');
    const { _id } = await owner.waitForDelivery((found) => found.deliveryAttemptCount === 1);
    receiver.respond = respondWith(200);
    await redeliver(_id).expect(200);
    await owner.waitForDelivery(({ computedStatus }) => computedStatus === 'delivered');
    const answer = await owner.client.get(`/webhooks/notifications/${_id}`);
    const at = expect.any(String) as string;
    const durationMs = expect.any(Number) as number;
    expect((answer.body as { data: { attempts: unknown } }).data.attempts).toEqual([
      { at, durationMs, httpStatusCode: 500, error: 'The endpoint answered 500' },
      { at, durationMs, httpStatusCode: 200 },
    ]);
  });

  describe('a replay', () => {
    const replay = (body: object) => owner.client.post(`/webhooks/${webhook}/replay`, body);

    it('repeats the failed deliveries of a time range with the same keys', async () => {
      receiver.respond = respondWith(400);
      await owner.receive('Before');
      await eventually(
        () => owner.deliveries('&status=failed'),
        (found) => found.length === 1,
      );
      service.clock.advance(HOUR);
      const from = service.clock.now();
      await Promise.all(Array.from({ length: 30 }, (_, index) => owner.receive(`Message ${index}`)));
      await eventually(
        () => owner.deliveries('&status=failed'),
        (found) => found.length === 31,
      );
      service.clock.advance(HOUR);
      const to = service.clock.now();
      await owner.receive('After');
      await eventually(
        () => owner.deliveries('&status=failed'),
        (found) => found.length === 32,
      );
      const keysBefore = keys();
      receiver.respond = respondWith(200);
      const answer = await replay({ from, to, status: 'failed' });
      expect([answer.status, answer.body]).toEqual([200, { data: { scheduledCount: 30, nextCursor: null } }]);
      await eventually(
        () => owner.deliveries('&status=delivered'),
        (found) => found.length === 30,
      );
      expect(receiver.received).toHaveLength(62);
      expect(keys()).toEqual(keysBefore);
      expect(
        await owner.waitForSubscription(webhook, (found) => found.successfulDeliveryCount === 30),
      ).toMatchObject({ deliveryFailureCount: 2, deliveryAttemptCount: 62 });
      // Delivered events can be replayed too, for a receiver that lost data.
      const again = await replay({ from, status: 'delivered' });
      expect(again.body).toEqual({ data: { scheduledCount: 30, nextCursor: null } });
      await eventually(
        () => receiver.received.length,
        (count) => count === 92,
      );
      expect(keys()).toEqual(keysBefore);
    });

    it('takes 5,000 deliveries per request and continues from the cursor', async () => {
      const collection = service.collection('webhookdeliveries');
      await failedDelivery();
      const template = await collection.findOne({ body: { $regex: webhook } });
      const now = service.clock.now();
      // All have the same time, so the cursor needs the id.
      const copies = Array.from({ length: 5_200 }, (_, index) => ({
        ...template,
        _id: new Types.ObjectId(),
        reportedStatus: `copy ${index}`,
        changes: [],
        computedStatus: 'delivered',
        createdAt: now,
      }));
      for (let at = 0; at < copies.length; at += 1_000)
        await collection.insertMany(copies.slice(at, at + 1_000));
      receiver.respond = respondWith(200);
      const first = await replay({ from: now, status: 'delivered' });
      const { scheduledCount, nextCursor } = (
        first.body as { data: { scheduledCount: number; nextCursor: string } }
      ).data;
      expect(scheduledCount).toBe(5_000);
      const second = await replay({ from: now, status: 'delivered', cursor: nextCursor });
      expect(second.body).toEqual({ data: { scheduledCount: 200, nextCursor: null } });
      await eventually(
        () => owner.subscription(webhook),
        ({ deliveryAttemptCount }) => deliveryAttemptCount === 5_201,
        240_000,
      );
      await service.get(WebhooksScheduler).enqueueOverdueDeliveries();
    });

    it.each([
      [{}, 'from'],
      [{ from: 'yesterday' }, 'from'],
      [{ from: '2026-01-31T09:00:00' }, 'from'],
      [{ from: '2026-01-31', to: 'today' }, 'to'],
      [{ from: '2026-01-31', status: 'lost' }, 'status'],
      [{ from: '2026-01-31', cursor: 'abc' }, 'cursor'],
    ])('rejects %j and names the field', async (body, field) => {
      const answer = await replay(body);
      expect([answer.status, answer.body]).toEqual([
        400,
        expect.objectContaining({ details: [expect.objectContaining({ field })] }),
      ]);
    });

    it('is refused while the subscription is paused', async () => {
      await owner.client.patch(`/webhooks/${webhook}`, { isActive: false }).expect(200);
      expect((await replay({ from: '2026-01-31' })).body).toMatchObject({ code: 'WEBHOOK_PAUSED' });
    });
  });
});
