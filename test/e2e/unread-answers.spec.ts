import net from 'node:net';
import { Types } from 'mongoose';
import { ConcurrencyLimiter } from '../../src/auth/limits/concurrency-limiter.service';
import { MessagesRepository } from '../../src/messages/messages.repository';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

const API = '/api/v1';
const TEXT = '\u{1F600}'.repeat(1_600);

/** More than the socket buffers of both sides can hold. */
const RECIPIENTS = Array.from({ length: 4_000 }, (_, index) => `+49151${String(10_000_000 + index)}`);

/** A client that reads the beginning of the response, and the rest only on demand. */
class UnreadRequest {
  isClosed = false;
  text = '';
  private readonly socket: net.Socket;

  constructor(url: string, apiKey: string, path: string) {
    const { hostname, port } = new URL(url);
    this.socket = net.connect(Number(port), hostname);
    this.socket.on('data', (data) => (this.text += data.toString('latin1')));
    this.socket.once('data', () => this.socket.pause());
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.isClosed = true));
    this.socket.write(`GET ${API}${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n\r\n`);
  }

  read(): void {
    this.socket.resume();
  }

  disconnect(): void {
    this.socket.destroy();
  }
}

describe('responses that the client does not read', () => {
  let service: TestService;
  let client: TestClient;
  let batch: string;
  const opened: UnreadRequest[] = [];
  const list = '/gateway/messages?limit=1';
  const search = '/gateway/messages?limit=100&recipient=%2B4900&search=%F0%9F%98%80';

  beforeAll(async () => {
    service = await TestService.start({
      environment: { APP_ROLES: 'api', MAX_LISTS_PER_ACCOUNT: '2', MAX_SEARCHES_PER_ACCOUNT: '1' },
      // More than a busy machine takes for the first page, for which the connection is idle too.
      limits: { idleTimeoutMs: 15_000 },
    });
    client = await service.newAccount();
    const device = await client.newDevice();
    const id = await client.send(RECIPIENTS);
    batch = `/gateway/devices/${device}/sms-batch/${id}`;
    const messages = service.collection('messages');
    await messages.updateMany({ smsBatch: new Types.ObjectId(id) }, { $set: { message: TEXT } });
    const large = await messages
      .find({}, { projection: { _id: 1 } })
      .limit(100)
      .toArray();
    await messages.updateMany(
      { _id: { $in: large.map(({ _id }) => _id) } },
      { $set: { message: '\u{1F600}'.repeat(10_000), recipient: '+4900' } },
    );
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const request of opened.splice(0)) request.disconnect();
    await waitForFreeSlots();
  });
  afterAll(() => service.stop());

  const ask = (path: string) => {
    const request = new UnreadRequest(service.url, client.apiKey, path);
    opened.push(request);
    return request;
  };
  /** Asks for two batches, and waits until both count and their responses begin, so that no later request takes their place. */
  const askForBatches = async () => {
    const { mock } = jest.spyOn(service.get(ConcurrencyLimiter), 'acquire');
    const requests = [ask(batch), ask(batch)];
    await eventually(
      () => mock.calls.length,
      (count) => count === requests.length,
    );
    for (const request of requests) {
      await eventually(
        () => request.text,
        (text) => text.startsWith('HTTP/1.1 200'),
      );
    }
    return requests;
  };
  const statusOf = async (path: string) => (await client.get(path)).status;
  const isRefused = (path: string) =>
    eventually(
      () => statusOf(path),
      (status) => status === 429,
    );
  const waitForFreeSlots = () =>
    eventually(
      () => Promise.all([statusOf(list), statusOf('/gateway/messages?limit=1&search=x')]),
      (statuses) => statuses.every((status) => status === 200),
    );

  it('count against the limit until the client disconnects, and are not produced further', async () => {
    const read = jest.spyOn(service.get(MessagesRepository), 'listByBatch');
    for (const request of await askForBatches()) expect(request.isClosed).toBe(false);
    await isRefused(list);
    for (const request of opened.splice(0)) request.disconnect();
    await waitForFreeSlots();
    expect(read.mock.calls.length).toBeLessThan((2 * RECIPIENTS.length) / 100);
  });

  it('count against the search limit', async () => {
    await eventually(
      () => {
        // Of two at once, either may be refused, and socket buffers may hold the whole response: asked again each time.
        ask(search);
        return statusOf(search);
      },
      (status) => status === 429,
    );
    expect(await statusOf(list)).toBe(200);
    for (const request of opened.splice(0)) request.disconnect();
    await waitForFreeSlots();
  });

  it('are aborted after the idle timeout', async () => {
    const unread = await askForBatches();
    await isRefused(list);
    await waitForFreeSlots();
    for (const request of unread) {
      request.read();
      await eventually(
        () => request.isClosed,
        (isClosed) => isClosed,
      );
      expect(request.text.endsWith('0\r\n\r\n')).toBe(false);
    }
  });

  it('to HEAD have only headers and read no data', async () => {
    const read = jest.spyOn(service.get(MessagesRepository), 'listByBatch');
    for (let i = 0; i < 5; i++) {
      for (const path of [batch, search]) {
        const answer = await fetch(`${service.url}/api/v1${path}`, {
          method: 'HEAD',
          headers: { 'x-api-key': client.apiKey },
        });
        expect([answer.status, await answer.text()]).toEqual([200, '']);
        expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      }
    }
    expect(read).toHaveBeenCalledTimes(5);
  });
});
