import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
  /** The parsed body. */
  readonly event: ReceivedEvent;
}

export interface ReceivedEvent {
  readonly smsId: string;
  readonly webhookEvent: string;
  readonly idempotencyKey: string;
  readonly [field: string]: unknown;
}

/** Handles a request after it was read and recorded. */
export type ResponseHandler = (received: ReceivedRequest, response: ServerResponse) => void;

export const respondWith =
  (status: number, body = '', headers: Record<string, string> = {}): ResponseHandler =>
  (_, response) => {
    response.writeHead(status, headers).end(body);
  };

/** Refuses, with a retry that no test reaches by waiting. */
export const refuseForAnHour = (status = 503, body = ''): ResponseHandler =>
  respondWith(status, body, { 'retry-after': '3600' });

export const neverRespond: ResponseHandler = () => undefined;

/** A webhook endpoint. */
export class WebhookReceiver {
  readonly received: ReceivedRequest[] = [];
  /** Requests without a response yet. */
  openRequests = 0;
  maxOpenRequests = 0;

  private constructor(
    private readonly server: Server,
    public respond: ResponseHandler,
  ) {
    server.keepAliveTimeout = 30_000;
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks).toString();
        const received: ReceivedRequest = {
          path: request.url ?? '',
          headers: request.headers,
          body,
          at: Date.now(),
          event: JSON.parse(body) as ReceivedEvent,
        };
        this.openRequests += 1;
        this.maxOpenRequests = Math.max(this.maxOpenRequests, this.openRequests);
        response.once('close', () => (this.openRequests -= 1));
        this.received.push(received);
        this.respond(received, response);
      });
    });
  }

  static async start(answer: ResponseHandler = respondWith(200)): Promise<WebhookReceiver> {
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
