import { Types } from 'mongoose';
import { DeliveryQueue } from '../../src/webhooks/runners/delivery.queue';
import { TestClient } from './client';
import { eventually } from './eventually';
import { TestService } from './service';
import { WebhookReceiver } from './webhook-receiver';

export const WEBHOOK_SECRET = 'a secret of 20 characters and more';

/** The fields of a delivery that tests read. */
export interface DeliveryJson {
  readonly _id: string;
  readonly event: string;
  readonly computedStatus: string;
  readonly deliveryAttemptCount: number;
  readonly idempotencyKey: string;
  readonly payload: { readonly smsId: string };
  readonly lastDeliveryAttemptAt?: string;
  readonly nextDeliveryAttemptAt?: string;
  readonly deliveryAttemptAbortedAt?: string;
  readonly deliveredAt?: string;
  readonly errorType?: string;
  readonly httpStatusCode?: number;
  readonly responseBody?: string;
}

/** The fields of a subscription that tests read. */
export interface SubscriptionJson {
  readonly _id: string;
  readonly isActive: boolean;
  readonly successfulDeliveryCount: number;
  readonly deliveryFailureCount: number;
  readonly deliveryAttemptCount: number;
  readonly notes: readonly { readonly at: string; readonly text: string }[];
  readonly [field: string]: unknown;
}

/** An account with one device and webhook subscriptions. */
export class WebhookOwner {
  private constructor(
    private readonly service: TestService,
    readonly client: TestClient,
    readonly device: string,
  ) {}

  static async create(service: TestService): Promise<WebhookOwner> {
    const client = await service.newAccount();
    return new WebhookOwner(service, client, await client.newDevice());
  }

  /** The failed attempts since the last success, by which a subscription is paused; stored after they are counted. */
  async failingAttempts(webhook: string): Promise<number> {
    const stored = await this.service
      .collection('webhooksubscriptions')
      .findOne<{ failingAttempts?: number }>({ _id: new Types.ObjectId(webhook) });
    return stored?.failingAttempts ?? 0;
  }

  /** @returns the id of the subscription. */
  async subscribe(receiver: Pick<WebhookReceiver, 'url'>, fields: object = {}): Promise<string> {
    const answer = await this.client.post('/webhooks', {
      deliveryUrl: receiver.url,
      signingSecret: WEBHOOK_SECRET,
      events: ['MESSAGE_RECEIVED'],
      ...fields,
    });
    if (answer.status !== 201) throw new Error(`Creating the webhook failed: ${JSON.stringify(answer.body)}`);
    return (answer.body as { data: { _id: string } }).data._id;
  }

  /** Uploads an incoming message, which raises an event. @returns the id of the message. */
  async receive(text: string, at = this.service.url): Promise<string> {
    const answer = await this.client
      .at(at)
      .post(`/gateway/devices/${this.device}/receive-sms`, { sender: '+4915112345678', message: text });
    if (answer.status !== 200) throw new Error(`Upload failed: ${JSON.stringify(answer.body)}`);
    return (answer.body as { data: { _id: string } }).data._id;
  }

  async deliveries(query = ''): Promise<DeliveryJson[]> {
    const answer = await this.client.get(`/webhooks/notifications?limit=100${query}`);
    return (answer.body as { data: { data: DeliveryJson[] } }).data.data;
  }

  async subscription(id: string): Promise<SubscriptionJson> {
    return ((await this.client.get(`/webhooks/${id}`)).body as { data: SubscriptionJson }).data;
  }

  /** Waits until the only delivery is as expected. */
  waitForDelivery(isExpected: (delivery: DeliveryJson) => boolean): Promise<DeliveryJson> {
    return eventually(
      async () => (await this.deliveries())[0],
      (found): found is DeliveryJson => found !== undefined && isExpected(found),
    ) as Promise<DeliveryJson>;
  }

  /** Waits until the subscription is as expected. */
  waitForSubscription(
    id: string,
    isExpected: (subscription: SubscriptionJson) => boolean,
  ): Promise<SubscriptionJson> {
    return eventually(() => this.subscription(id), isExpected);
  }

  /** Enqueues a delivery job. */
  async enqueueJob(subscription: string): Promise<void> {
    await this.service.get(DeliveryQueue).enqueue([new Types.ObjectId(subscription)]);
  }
}
