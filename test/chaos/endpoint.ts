import type { ServerResponse } from 'node:http';
import { signature } from '../../src/webhooks/deliveries/signature';
import { type ReceivedRequest, WebhookReceiver } from '../support/webhook-receiver';
import type { Chance } from './chance';
import type { PostEvidence } from './evidence';

export const ENDPOINT_SECRET = 'a secret of the endpoint of the chaos test';

const FAILURE_RATE = 0.05;
const DROP_RATE = 0.03;
const HANG_RATE = 0.03;
const MAX_HANG_MS = 3_000;

/**
 * The receiver of webhooks. It answers most deliveries with 200; some it fails, drops or keeps waiting, each only the first
 * time it comes: the second repetition of a delivery is minutes away.
 */
export class Endpoint {
  private readonly seen = new Set<string>();

  private constructor(
    private readonly receiver: WebhookReceiver,
    private readonly chance: Chance,
  ) {
    receiver.respond = (received, response) => {
      this.answer(received, response);
    };
  }

  static async start(chance: Chance): Promise<Endpoint> {
    return new Endpoint(await WebhookReceiver.start(), chance);
  }

  get url(): string {
    return this.receiver.url;
  }

  get count(): number {
    return this.receiver.received.length;
  }

  posts(): PostEvidence[] {
    return this.receiver.received.map(({ event, headers, body }) => ({
      subscription: String(event.webhookSubscriptionId),
      smsId: event.smsId,
      event: event.webhookEvent,
      idempotencyKey: event.idempotencyKey,
      isSigned:
        headers['x-signature'] === signature(Buffer.from(body), ENDPOINT_SECRET) &&
        headers['idempotency-key'] === event.idempotencyKey,
    }));
  }

  stop(): Promise<void> {
    return this.receiver.stop();
  }

  private answer({ event: { idempotencyKey } }: ReceivedRequest, response: ServerResponse): void {
    const isFirst = !this.seen.has(idempotencyKey);
    this.seen.add(idempotencyKey);
    if (isFirst && this.chance.happens(FAILURE_RATE)) response.writeHead(500).end();
    else if (isFirst && this.chance.happens(DROP_RATE)) response.destroy();
    else if (isFirst && this.chance.happens(HANG_RATE)) {
      setTimeout(() => response.writeHead(200).end(), this.chance.between(500, MAX_HANG_MS));
    } else response.writeHead(200).end();
  }
}
