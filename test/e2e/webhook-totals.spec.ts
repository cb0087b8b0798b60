import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { accountScope } from '../../src/auth/account-scope';
import { DeliveryRetention } from '../../src/webhooks/deliveries/delivery-retention.service';
import { SubscriptionTotalsRepository } from '../../src/webhooks/deliveries/subscription-totals.repository';
import { SubscriptionTotals } from '../../src/webhooks/deliveries/subscription-totals.service';
import { RunnerLeasesRepository } from '../../src/webhooks/runners/runner-leases.repository';
import { crashAtCall } from '../support/crash-at-call';
import { eventually } from '../support/eventually';
import { pauseNextCall } from '../support/pause-next-call';
import { TestService } from '../support/service';
import { WebhookOwner } from '../support/webhook-owner';
import { respondWith, WebhookReceiver } from '../support/webhook-receiver';

const DAY = 24 * 3_600_000;

describe('the counters of a webhook', () => {
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

  async function deliver(status: number, count: number): Promise<void> {
    receiver.respond = respondWith(status, '', { 'retry-after': '3600' });
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
  const account = () => accountScope(owner.client.user);
  /** @returns a time after all changes so far. */
  async function afterChanges(): Promise<Date> {
    await sleep(5);
    return new Date();
  }
  /** Closes all periods up to a time, by default now, as if nothing were in progress. */
  async function close(until?: Date): Promise<void> {
    const to = until ?? (await afterChanges());
    for (const subscription of await service.get(SubscriptionTotalsRepository).list(account()))
      await service.get(SubscriptionTotals).close(subscription, to);
  }
  /** Tells the calls of `sumOpen` and `advance` up to this time from those of runners, which close the periods that are over. */
  const upTo = (time: Date | undefined) => (_subscription: unknown, to?: Date) => to === time;
  const removeOld = () => service.get(DeliveryRetention).removeCounted(account(), new Date());
  const stored = () =>
    service
      .collection('webhookdeliveries')
      .find({ webhookSubscription: new Types.ObjectId(webhook) })
      .project<{ computedStatus: string }>({ computedStatus: 1 })
      .toArray();

  it('count every attempt and every result once, before and after its period is closed', async () => {
    await deliver(200, 3);
    await deliver(400, 2);
    for (let round = 0; round < 3; round++) {
      expect(await counts()).toEqual([5, 3, 2]);
      await Promise.all([close(), close()]);
    }
    await deliver(200, 1);
    expect(await counts()).toEqual([6, 4, 2]);
  });

  it('move a failed delivery to the successful ones when it is redelivered, also in a later period', async () => {
    await deliver(400, 2);
    await close();
    receiver.respond = respondWith(200);
    const { _id } = await owner.waitForDelivery(() => true);
    expect((await owner.client.post(`/webhooks/notifications/${_id}/redeliver`)).status).toBe(200);
    await eventually(counts, ([attempts]) => attempts === 3);
    expect(await counts()).toEqual([3, 1, 1]);
    await close();
    expect(await counts()).toEqual([3, 1, 1]);
  });

  it('count an attempt whose process dies right after it has stored the result', async () => {
    const isOfTest = (subscription: Types.ObjectId) => subscription.equals(webhook);
    const { died } = crashAtCall(RunnerLeasesRepository, 'renew', isOfTest)(service, 'before');
    await owner.receive('the process dies');
    await died;
    expect(await counts()).toEqual([1, 1, 0]);
    await deliver(200, 1);
    expect(await counts()).toEqual([2, 2, 0]);
  });

  it.each([
    ['before', 'sumOpen'],
    ['after', 'sumOpen'],
    ['before', 'advance'],
    ['after', 'advance'],
  ] as const)('are exact when a process dies %s %s', async (when, method) => {
    await deliver(200, 2);
    const now = await afterChanges();
    crashAtCall(SubscriptionTotalsRepository, method, upTo(now))(service, when);
    await expect(close(now)).rejects.toThrow('killed');
    expect(await counts()).toEqual([2, 2, 0]);
    await close();
    expect(await counts()).toEqual([2, 2, 0]);
  });

  it('are closed to the end if another process closes an earlier period meanwhile', async () => {
    await deliver(200, 1);
    const read = async () => (await service.get(SubscriptionTotalsRepository).list(account()))[0];
    const before = await read();
    if (!before) throw new Error('There is no subscription');
    const to = new Date(Date.now() + 60_000);
    const sum = pauseNextCall(service, SubscriptionTotalsRepository, 'sumOpen', upTo(to));
    const closing = service.get(SubscriptionTotals).close(before, to);
    await sum.reached;
    await service.get(SubscriptionTotals).close(before, new Date(to.getTime() - 1));
    sum.release(false);
    await closing;
    expect((await read())?.countedThrough).toEqual(to);
    expect(await counts()).toEqual([1, 1, 0]);
  });

  it('are exact when a period is closed, and a delivery drops its changes, while they are read', async () => {
    await deliver(200, 1);
    const { _id } = await owner.waitForDelivery(() => true);
    const sum = pauseNextCall(service, SubscriptionTotalsRepository, 'sumOpen', upTo(undefined));
    const read = counts();
    await sum.reached;
    await close();
    await owner.client.post(`/webhooks/notifications/${_id}/redeliver`).expect(200);
    await owner.waitForDelivery(({ deliveryAttemptCount }) => deliveryAttemptCount === 2);
    sum.release(false);
    expect(await read).toEqual([2, 1, 0]);
  });

  it('do not change when deliveries are removed, which are kept until they are closed', async () => {
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
    await close();
    await removeOld();
    expect(await stored()).toHaveLength(6);
    service.clock.advance(2 * DAY);
    await service.get(DeliveryRetention).maintain(account(), new Date());
    expect(await stored()).toHaveLength(6);
    await removeOld();
    expect((await stored()).map(({ computedStatus }) => computedStatus)).toEqual(['retrying']);
    expect(await counts()).toEqual(before);
    expect((await owner.client.get(`/webhooks/notifications?webhookSubscriptionId=${webhook}`)).status).toBe(
      200,
    );
  });
});
