import { Types } from 'mongoose';
import { Recounts } from '../../src/common/upkeep/recounts.service';
import { Removals } from '../../src/common/upkeep/removals.service';
import { RemovalsRepository } from '../../src/common/upkeep/removals.repository';
import { DeliveryRemovalRepository } from '../../src/webhooks/upkeep/delivery-removal.repository';
import { DeliveryRetentionService } from '../../src/webhooks/upkeep/delivery-retention.service';
import { SubscriptionTotalsRecount } from '../../src/webhooks/upkeep/subscription-totals.recount';
import { SubscriptionTotalsRepository } from '../../src/webhooks/upkeep/subscription-totals.repository';
import { eventually } from '../support/eventually';
import { crashAtCall } from '../support/crash-at-call';
import { TestService } from '../support/service';
import { WebhookOwner } from '../support/webhook-owner';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';

const DAY = 24 * 3_600_000;

describe('webhook maintenance', () => {
  let service: TestService;
  let receiver: WebhookReceiver;
  let owner: WebhookOwner;
  let webhook: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8' } });
  });
  beforeEach(async () => {
    jest.spyOn(service.get(Recounts), 'settle').mockResolvedValue();
    receiver = await WebhookReceiver.start();
    owner = await WebhookOwner.create(service);
    webhook = await owner.subscribe(receiver);
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await receiver.stop();
  });
  afterAll(() => service.stop());

  async function deliver(status: number, count: number): Promise<void> {
    receiver.respond = respondWith(status);
    const { deliveryAttemptCount } = await owner.subscription(webhook);
    for (let index = 0; index < count; index++) await owner.receive(`${status} ${index} ${Date.now()}`);
    await owner.waitForSubscription(
      webhook,
      (it) => it.deliveryAttemptCount === deliveryAttemptCount + count,
    );
  }

  const counts = async () => {
    const { deliveryAttemptCount, successfulDeliveryCount, deliveryFailureCount } =
      await owner.subscription(webhook);
    return [deliveryAttemptCount, successfulDeliveryCount, deliveryFailureCount];
  };

  const recount = (at = service) =>
    at.get(Recounts).mend(at.get(SubscriptionTotalsRecount), [new Types.ObjectId(webhook)]);

  async function removeOld(at = service): Promise<void> {
    const removals = at.get(Removals);
    const work = at.get(DeliveryRetentionService);
    await removals.finishDead(work);
    let after: Types.ObjectId | undefined;
    do after = await removals.removeOldAfter(work, after);
    while (after);
  }

  const stored = () =>
    service
      .collection('webhookdeliveries')
      .find({ webhookSubscription: new Types.ObjectId(webhook) })
      .project<{ computedStatus: string }>({ computedStatus: 1 })
      .toArray();

  it('corrects wrong counters and keeps correct ones', async () => {
    await deliver(200, 3);
    await deliver(400, 2);
    expect(await counts()).toEqual([5, 3, 2]);
    await recount();
    expect(await counts()).toEqual([5, 3, 2]);
    await service
      .collection('webhooksubscriptions')
      .updateOne(
        { _id: new Types.ObjectId(webhook) },
        { $inc: { deliveryAttemptCount: 7, successfulDeliveryCount: -1, deliveryFailureCount: 4 } },
      );
    await recount();
    expect(await counts()).toEqual([5, 3, 2]);
  });

  it('does not overwrite a counter that changes meanwhile', async () => {
    await deliver(200, 2);
    const collection = service.collection('webhooksubscriptions');
    const move = () =>
      collection.updateOne({ _id: new Types.ObjectId(webhook) }, { $inc: { deliveryAttemptCount: 1 } });
    const deliveries = service.get(DeliveryRemovalRepository);
    const countOf = deliveries.countOf.bind(deliveries);
    jest.spyOn(deliveries, 'countOf').mockImplementation(async (account, id) => {
      const found = await countOf(account, id);
      await move();
      return found;
    });
    await recount();
    jest.restoreAllMocks();
    jest.spyOn(service.get(Recounts), 'settle').mockResolvedValue();
    expect((await counts())[0]).toBeGreaterThan(2);
    await recount();
    expect(await counts()).toEqual([2, 2, 0]);
  });

  it('removes deliveries after 90 days, except pending ones, and keeps the counters', async () => {
    await deliver(200, 3);
    await deliver(400, 2);
    await deliver(500, 1);
    // Its next attempt is beyond all times of this test.
    await service
      .collection('webhookdeliveries')
      .updateMany(
        { webhookSubscription: new Types.ObjectId(webhook), computedStatus: 'retrying' },
        { $set: { nextDeliveryAttemptAt: new Date(service.clock.now().getTime() + 365 * DAY) } },
      );
    const before = await counts();
    expect(before).toEqual([6, 3, 2]);
    service.clock.advance(89 * DAY);
    await removeOld();
    expect(await stored()).toHaveLength(6);
    await deliver(200, 1);
    service.clock.advance(2 * DAY);
    await removeOld();
    const left = (await stored()).map(({ computedStatus }) => computedStatus).sort();
    expect(left).toEqual(['delivered', 'retrying']);
    expect(await counts()).toEqual([7, 4, 2]);
    await recount();
    expect(await counts()).toEqual([7, 4, 2]);
    const page = await owner.client.get(`/webhooks/notifications?webhookSubscriptionId=${webhook}`);
    expect(page.status).toBe(200);
  });

  const STEPS = [
    ['writing the chunk down', crashAtCall(RemovalsRepository, 'begin')],
    ['marking it', crashAtCall(DeliveryRemovalRepository, 'mark')],
    ['deciding on it', crashAtCall(RemovalsRepository, 'decide')],
    ['adding to the base', crashAtCall(SubscriptionTotalsRepository, 'setRemoved')],
    ['removing it', crashAtCall(DeliveryRemovalRepository, 'remove')],
    ['finishing it', crashAtCall(RemovalsRepository, 'finish')],
  ] as const;

  it.each(STEPS.flatMap(([name, step]) => [['before', name, step] as const, ['after', name, step] as const]))(
    'keeps the counters right when the process dies %s %s',
    async (when, _name, kill) => {
      await deliver(200, 3);
      await deliver(400, 2);
      service.clock.advance(91 * DAY);
      kill(service, when);
      await removeOld();
      service.clock.advance(2 * 60_000);
      await Promise.all([removeOld(), removeOld()]);
      expect(await stored()).toEqual([]);
      expect(await counts()).toEqual([5, 3, 2]);
      await recount();
      expect(await counts()).toEqual([5, 3, 2]);
      expect(await service.collection('removals').countDocuments()).toBe(0);
    },
  );

  it('refuses to redeliver a delivery that is being removed', async () => {
    await deliver(400, 1);
    await service
      .collection('webhookdeliveries')
      .updateOne(
        { webhookSubscription: new Types.ObjectId(webhook) },
        { $set: { removal: new Types.ObjectId() } },
      );
    const delivery = await owner.waitForDelivery(() => true);
    receiver.respond = respondWith(200);
    const answer = await owner.client.post(`/webhooks/notifications/${delivery._id}/redeliver`);
    expect([answer.status, answer.body]).toEqual([
      404,
      expect.objectContaining({ code: 'DELIVERY_NOT_FOUND' }),
    ]);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(receiver.received).toHaveLength(1);
    await eventually(counts, (found) => found[2] === 1);
  });
});
