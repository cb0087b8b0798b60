import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { signature } from '../../src/webhooks/signing/signature';
import type { WebhookRequestEvidence } from '../chaos/evidence';
import { freePort } from 'messaging-gateway-local-stack/ports';
import type { ReceivedEvent } from '../support/webhook-receiver';

export const RECEIVER_SECRET = 'a secret of the receiver of the load test';

/** `failing` responds with 500; `hanging` never responds. */
export type ReceiverState = 'up' | 'refusing' | 'failing' | 'hanging';

/** A webhook endpoint that records requests answered with 200. */
export class LoadReceiver {
  /** Requests answered with 200. */
  readonly webhookRequests: WebhookRequestEvidence[] = [];
  /** Number of all requests. */
  requests = 0;
  private readonly keys = new Set<string>();
  private readonly heldRequests = new Set<ServerResponse>();
  private server: Server | undefined;
  private state: ReceiverState = 'up';

  private constructor(private readonly port: number) {}

  static async start(): Promise<LoadReceiver> {
    const receiver = new LoadReceiver(await freePort());
    await receiver.listen();
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/hook`;
  }

  /** Number of distinct events. */
  get events(): number {
    return this.keys.size;
  }

  async setState(state: ReceiverState): Promise<void> {
    this.state = state;
    for (const response of this.heldRequests) response.destroy();
    if (state === 'refusing') await this.stop();
    else if (!this.server) await this.listen();
  }

  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }

  private async listen(): Promise<void> {
    const server = createServer((request, response) => {
      this.take(request, response);
    });
    server.keepAliveTimeout = 30_000;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.server = server;
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.requests += 1;
      if (this.state === 'hanging') {
        this.heldRequests.add(response);
        response.once('close', () => this.heldRequests.delete(response));
        return;
      }
      if (this.state === 'up') this.record(request, Buffer.concat(chunks));
      response.writeHead(this.state === 'up' ? 200 : 500).end();
    });
  }

  private record({ headers }: IncomingMessage, body: Buffer): void {
    const event = JSON.parse(body.toString()) as ReceivedEvent;
    this.keys.add(event.idempotencyKey);
    this.webhookRequests.push({
      subscription: String(event.webhookSubscriptionId),
      smsId: event.smsId,
      event: event.webhookEvent,
      idempotencyKey: event.idempotencyKey,
      isSigned:
        headers['x-signature'] === signature(body, RECEIVER_SECRET) &&
        headers['idempotency-key'] === event.idempotencyKey,
    });
  }
}
