import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What reached the receiver. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
  /** The body as it reads. */
  readonly event: ReceivedEvent;
}

export interface ReceivedEvent {
  readonly smsId: string;
  readonly webhookEvent: string;
  readonly idempotencyKey: string;
  readonly [field: string]: unknown;
}

/** What the receiver does with a request; it has been read whole, and noted down. */
export type Answer = (received: Received, response: ServerResponse) => void;

export const answering =
  (status: number, body = '', headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Never answers. */
export const hanging: Answer = () => undefined;

/** An endpoint that webhooks are delivered to. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** Requests that are here and not answered, and the most there were at once. */
  inHand = 0;
  mostInHand = 0;

  private constructor(
    private readonly server: Server,
    public answer: Answer,
  ) {
    server.keepAliveTimeout = 30_000;
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const received: Received = {
          path: request.url ?? '',
          headers: request.headers,
          body,
          at: Date.now(),
          event: JSON.parse(body) as ReceivedEvent,
        };
        this.inHand += 1;
        this.mostInHand = Math.max(this.mostInHand, this.inHand);
        response.once('close', () => (this.inHand -= 1));
        this.received.push(received);
        this.answer(received, response);
      });
    });
  }

  static async start(answer: Answer = answering(200)): Promise<WebhookReceiver> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new WebhookReceiver(server, answer);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}
