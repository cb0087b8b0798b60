import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isRecord } from './wire';

export interface RecordedCall {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An HTTP server for tests of the phone. It records requests, pushes messages, and can disconnect or fail. */
export class FakeService {
  readonly calls: RecordedCall[] = [];
  readonly streams = new Set<ServerResponse>();
  /** The status of a response; undefined for the usual one. */
  statusFor: (call: RecordedCall) => number | undefined = () => undefined;
  /** The messages that heartbeats and `messages/pending` return. */
  pending: unknown[] = [];
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A second call uses the same port. */
  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      this.handle(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : undefined);
      });
    });
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.server = server;
    const address = server.address();
    if (isAddressInfo(address)) this.port = address.port;
  }

  /** Breaks all connections, like a killed process. */
  async disconnect(): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    this.server = undefined;
    this.streams.clear();
    const closed = new Promise<void>((resolve) => {
      server.close(() => {
        resolve();
      });
    });
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  offer(...commands: readonly unknown[]): void {
    for (const stream of this.streams) {
      for (const command of commands) stream.write(`event: sms\ndata: ${JSON.stringify(command)}\n\n`);
    }
  }

  write(text: string | Buffer): void {
    for (const stream of this.streams) stream.write(text);
  }

  get connections(): number {
    return this.sockets.size;
  }

  /** @returns the bodies of the requests whose path ends with this text. */
  bodies(pathEnd: string): Readonly<Record<string, unknown>>[] {
    return this.calls.filter((call) => call.path.endsWith(pathEnd)).map((call) => call.body);
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '' } = request;
    const call = { method, path, body: await bodyOf(request) };
    this.calls.push(call);
    const status = this.statusFor(call);
    if (status !== undefined) {
      answer(response, status, { error: 'unavailable', message: 'unavailable' });
    } else if (path.endsWith('/stream')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\n');
      this.streams.add(response);
      response.once('close', () => this.streams.delete(response));
    } else if (path.endsWith('/gateway/devices')) {
      answer(response, 201, { data: { _id: 'device-1', enabled: true, heartbeatIntervalMinutes: 30 } });
    } else if (path.endsWith('/heartbeat')) {
      answer(response, 200, { success: true, lastHeartbeat: Date.now(), pendingCount: this.pending.length });
    } else if (path.endsWith('/messages/pending')) {
      answer(response, 200, { data: this.pending });
    } else {
      answer(response, 200, { data: { success: true } });
    }
  }
}

export function testCommand(number: number): Record<string, unknown> {
  return {
    smsId: `sms-${number}`,
    smsBatchId: 'batch-1',
    message: `Text ${number}`,
    recipients: [`+4477009000${String(number).padStart(2, '0')}`],
  };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += String(chunk);
  const body: unknown = text === '' ? {} : JSON.parse(text);
  return isRecord(body) ? body : {};
}

function isAddressInfo(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null;
}
