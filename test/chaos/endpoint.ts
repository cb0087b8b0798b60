import type { ServerResponse } from 'node:http';
import { signature } from '../../src/webhooks/signing/signature';
import { type ReceivedRequest, WebhookReceiver } from '../support/webhook-receiver';
import type { SeededRandom } from './seeded-random';
import type { WebhookRequestEvidence } from './evidence';

export const ENDPOINT_SECRET = 'a secret of the endpoint of the chaos test';

const FAILURE_RATE = 0.05;
const DROP_RATE = 0.03;
const HANG_RATE = 0.03;
const MAX_HANG_MS = 3_000;

/**
 * A webhook endpoint that fails, drops or delays some requests. It does so only on the first attempt of a delivery, because
 * the second retry is minutes later.
 */
export class Endpoint {
  private readonly seenKeys = new Set<string>();

  private constructor(
    private readonly receiver: WebhookReceiver,
    private readonly random: SeededRandom,
  ) {
    receiver.respond = (received, response) => {
      this.respond(received, response);
    };
  }

  static async start(chance: SeededRandom): Promise<Endpoint> {
    return new Endpoint(await WebhookReceiver.start(), chance);
  }

  get url(): string {
    return this.receiver.url;
  }

  get count(): number {
    return this.receiver.received.length;
  }

  webhookRequests(): WebhookRequestEvidence[] {
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

  private respond({ event: { idempotencyKey } }: ReceivedRequest, response: ServerResponse): void {
    const isFirst = !this.seenKeys.has(idempotencyKey);
    this.seenKeys.add(idempotencyKey);
    if (isFirst && this.random.happens(FAILURE_RATE)) response.writeHead(500).end();
    else if (isFirst && this.random.happens(DROP_RATE)) response.destroy();
    else if (isFirst && this.random.happens(HANG_RATE)) {
      setTimeout(() => response.writeHead(200).end(), this.random.between(500, MAX_HANG_MS));
    } else response.writeHead(200).end();
  }
}
