import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface RecordedCall {
  /** Such as `GET /sms/message?order=lifo`. */
  readonly call: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export type Answer = readonly [status: number, body?: unknown, headers?: Record<string, string>];

/** A service whose answers a test decides, to prove how strict the stand-in of the app is. */
export class FakeGateway {
  readonly calls: RecordedCall[] = [];
  readonly streams: ServerResponse[] = [];
  /** The most connections that were open at the same time. */
  maxOpenConnections = 0;
  private openConnections = 0;
  /** Answers by call without query; a function may answer each time differently. */
  readonly answers = new Map<string, Answer | (() => Answer)>([
    ['POST /device', [201, { id: 'device-1', token: 'token-1', login: 'ada@example.com' }]],
    ['PATCH /device', [204]],
    ['GET /device', [200, { externalIp: '203.0.113.7' }]],
    ['GET /message', [200, []]],
    ['PATCH /message', [204]],
    ['GET /settings', [200, {}]],
    ['GET /webhooks', [200, []]],
    ['POST /hook', [200, {}]],
  ]);
  streamHeaders: Record<string, string> = { 'content-type': 'text/event-stream' };
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      void this.handle(request, response);
    });
    this.server.on('connection', (socket) => {
      this.openConnections += 1;
      this.maxOpenConnections = Math.max(this.maxOpenConnections, this.openConnections);
      socket.once('close', () => (this.openConnections -= 1));
    });
  }

  static async start(): Promise<FakeGateway> {
    const gateway = new FakeGateway();
    await new Promise<void>((resolve) => gateway.server.listen(0, '127.0.0.1', resolve));
    return gateway;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The bodies of calls such as `PATCH /message`, in order. */
  bodiesOf(call: string): unknown[] {
    return this.callsOf(call).map(({ text }) => JSON.parse(text) as unknown);
  }

  callsOf(call: string): RecordedCall[] {
    return this.calls.filter((each) => each.call.split('?')[0] === call);
  }

  /** Sends an event to all streams. */
  push(text: string): void {
    for (const stream of this.streams) stream.write(text);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const call = `${request.method ?? ''} ${request.url ?? ''}`;
    this.calls.push({ call, headers: request.headers, text });
    if (call === 'GET /events') {
      this.streams.push(response);
      response.writeHead(200, this.streamHeaders).flushHeaders();
      return;
    }
    const found = this.answers.get(call.split('?')[0] ?? '') ?? [404, { message: 'Not found' }];
    const [status, body, headers] = typeof found === 'function' ? found() : found;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body));
  }
}
