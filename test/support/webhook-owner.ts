import { Types } from 'mongoose';
import { DeliveryQueue } from '../../src/webhooks/deliveries/delivery.queue';
import { TestClient } from './client';
import { eventually } from './eventually';
import { TestService } from './service';
import { WebhookReceiver } from './webhook-receiver';

export const WEBHOOK_SECRET = 'a secret of 20 characters and more';

/** What tests read of a delivery record. */
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

/** What tests read of a subscription. */
export interface SubscriptionJson {
  readonly _id: string;
  readonly isActive: boolean;
  readonly successfulDeliveryCount: number;
  readonly deliveryFailureCount: number;
  readonly deliveryAttemptCount: number;
  readonly notes: readonly { readonly at: string; readonly text: string }[];
  readonly [field: string]: unknown;
}

/** An account with one phone that receives messages, and whose events go to a receiver. */
export class WebhookOwner {
  private constructor(
    private readonly service: TestService,
    readonly client: TestClient,
    readonly device: string,
  ) {}

  static async make(service: TestService): Promise<WebhookOwner> {
    const client = await service.newAccount();
    return new WebhookOwner(service, client, await client.newDevice());
  }

  /** @returns the subscription's id. */
  async subscribe(receiver: Pick<WebhookReceiver, 'url'>, fields: object = {}): Promise<string> {
    const answer = await this.client.post('/webhooks', {
      deliveryUrl: receiver.url,
      signingSecret: WEBHOOK_SECRET,
      events: ['MESSAGE_RECEIVED'],
      ...fields,
    });
    if (answer.status !== 201) throw new Error(`The webhook was refused: ${JSON.stringify(answer.body)}`);
    return (answer.body as { data: { _id: string } }).data._id;
  }

  /** An incoming message, and so an event. @returns the message's id. */
  async receive(text: string, at = this.service.url): Promise<string> {
    const answer = await this.client
      .at(at)
      .post(`/gateway/devices/${this.device}/receive-sms`, { sender: '+4915112345678', message: text });
    if (answer.status !== 200) throw new Error(`The upload was refused: ${JSON.stringify(answer.body)}`);
    return (answer.body as { data: { _id: string } }).data._id;
  }

  async deliveries(query = ''): Promise<DeliveryJson[]> {
    const answer = await this.client.get(`/webhooks/notifications?limit=100${query}`);
    return (answer.body as { data: { data: DeliveryJson[] } }).data.data;
  }

  async subscription(id: string): Promise<SubscriptionJson> {
    return ((await this.client.get(`/webhooks/${id}`)).body as { data: SubscriptionJson }).data;
  }

  /** The one delivery there is, once it satisfies. */
  delivery(satisfies: (delivery: DeliveryJson) => boolean): Promise<DeliveryJson> {
    return eventually(
      async () => (await this.deliveries())[0],
      (found): found is DeliveryJson => found !== undefined && satisfies(found),
    ) as Promise<DeliveryJson>;
  }

  /** The subscription, once it satisfies. */
  whenSubscription(
    id: string,
    satisfies: (subscription: SubscriptionJson) => boolean,
  ): Promise<SubscriptionJson> {
    return eventually(() => this.subscription(id), satisfies);
  }

  /** Does what a job does when it is due. */
  async wake(subscription: string): Promise<void> {
    await this.service.get(DeliveryQueue).enqueue([new Types.ObjectId(subscription)]);
  }
}
