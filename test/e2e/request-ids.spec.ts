import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import request from 'supertest';
import { VirtualPhone } from 'messaging-gateway-phone';
import { eventually } from '../support/eventually';
import { newStore, TestStore } from '../support/test-store';
import { WebhookReceiver } from '../support/webhook-receiver';

const MAIN = join(__dirname, '..', '..', 'dist', 'main.js');
const KEY = 'a-key-of-the-owner-of-20';
const TEXT = 'Your code is 271828';
const NUMBER = '+4915112345678';

/** A JSON log line. */
interface Line {
  readonly level: string;
  readonly message: string;
  readonly context?: string;
  readonly requestId?: string;
  readonly smsBatchId?: string;
  readonly deliveryId?: string;
}

/** The built service and its log. */
class LoggedService {
  output = '';

  private constructor(private readonly child: ChildProcess) {
    child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
  }

  static async start(environment: Record<string, string | undefined>): Promise<LoggedService> {
    const { PATH } = process.env;
    const service = new LoggedService(
      spawn(process.execPath, [MAIN], {
        env: { PATH, PORT: '0', HOST: '127.0.0.1', BOOTSTRAP_API_KEY: KEY, ...environment },
      }),
    );
    await eventually(
      () => service.output,
      (output) => output.includes('Ready as'),
    );
    return service;
  }

  get url(): string {
    return /Listening on (http:[^\s"]+)/.exec(this.output)?.[1] ?? '';
  }

  get lines(): Line[] {
    return this.output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
  }

  /** Waits for lines that match. */
  linesWith(isMatch: (line: Line) => boolean): Promise<Line[]> {
    return eventually(
      () => this.lines.filter(isMatch),
      (lines) => lines.length > 0,
    );
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }
}

describe('the request id', () => {
  let store: TestStore;
  let service: LoggedService;
  let receiver: WebhookReceiver;
  let phone: VirtualPhone;

  beforeAll(async () => {
    store = newStore();
    receiver = await WebhookReceiver.start();
    service = await LoggedService.start({
      ...store.environment,
      LOG_FORMAT: 'json',
      LOG_LEVEL: 'debug',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    });
    phone = new VirtualPhone({
      baseUrl: service.url,
      apiKey: KEY,
      sendDelaySeconds: 0,
      deliveryDelaySeconds: 0,
    });
    await phone.start();
  });
  afterAll(async () => {
    await phone.stop();
    await service.stop();
    await receiver.stop();
    await store.drop();
  });

  const post = (path: string, body: object, requestId?: string) => {
    const call = request(service.url).post(`/api/v1${path}`).set('x-api-key', KEY).send(body);
    return requestId === undefined ? call : call.set('x-request-id', requestId);
  };
  const dataOf = ({ body }: { body: unknown }) =>
    (body as { data: { _id: string; smsBatchId: string } }).data;

  it('is taken from X-Request-Id and added to the response and to the log lines of the request and its job', async () => {
    const answer = await post('/gateway/send-sms', { message: TEXT, recipients: [NUMBER] }, 'order-4711.a');
    expect([answer.status, answer.get('x-request-id')]).toEqual([200, 'order-4711.a']);
    const { smsBatchId } = dataOf(answer);
    const [line] = await service.linesWith(({ message }) => message.includes('send-sms'));
    expect(line).toMatchObject({
      level: 'debug',
      context: 'Request',
      requestId: 'order-4711.a',
      message: expect.stringMatching(/^POST \/api\/v1\/gateway\/send-sms: 200, \d+ ms$/) as string,
    });
    const [job] = await service.linesWith(
      (line) => line.context === 'Queue dispatch' && line.smsBatchId === smsBatchId,
    );
    expect(job?.requestId).toBe('order-4711.a');
  });

  it('is added to the log lines of the webhook deliveries that the request caused', async () => {
    const webhook = dataOf(
      await post('/webhooks', {
        deliveryUrl: `${receiver.url}?token=${TEXT.slice(-6)}`,
        signingSecret: 'a secret of 20 characters and more',
        events: ['MESSAGE_RECEIVED'],
      }),
    )._id;
    const upload = { sender: NUMBER, message: TEXT };
    await post(`/gateway/devices/${phone.deviceId}/receive-sms`, upload, 'upload-1');
    const [line] = await service.linesWith(({ deliveryId }) => deliveryId !== undefined);
    expect(line).toMatchObject({
      requestId: 'upload-1',
      webhookSubscriptionId: webhook,
      deliveryId: receiver.received[0]?.event.idempotencyKey,
      smsId: receiver.received[0]?.event.smsId,
      message: expect.stringMatching(
        /^Attempt 1 to deliver MESSAGE_RECEIVED: delivered, status 200, \d+ ms$/,
      ) as string,
    });
  });

  it('is generated if the request has no valid one', async () => {
    const ids = [];
    for (const brought of [undefined, '', 'two words', 'x'.repeat(101), '{"a":1}']) {
      const answer = await post('/gateway/nothing', {}, brought);
      expect(answer.status).toBe(404);
      ids.push(answer.get('x-request-id') ?? '');
    }
    expect(ids.every((id) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('is in error responses too', async () => {
    const answer = await request(service.url).get('/api/v1/gateway/stats').set('x-request-id', 'refused-1');
    expect([answer.status, answer.get('x-request-id')]).toEqual([401, 'refused-1']);
    const lines = await service.linesWith(({ requestId }) => requestId === 'refused-1');
    expect(lines.map(({ message }) => message)).toEqual([expect.stringMatching(/: 401, \d+ ms$/)]);
  });

  it('adds no message text, phone number or webhook URL to the log', () => {
    expect(service.lines.length).toBeGreaterThan(10);
    for (const secret of [TEXT, TEXT.slice(-6), NUMBER.slice(1), KEY, 'token='])
      expect([secret, service.output.includes(secret)]).toEqual([secret, false]);
  });
});

describe('the text log', () => {
  it('ends its lines with the ids and has no request lines at the level info', async () => {
    const store = newStore();
    const read = async (level: string) => {
      const service = await LoggedService.start({ ...store.environment, LOG_LEVEL: level });
      await request(service.url).get('/api/v1/gateway/stats').set('x-request-id', 'look-1');
      await service.stop();
      return service.output;
    };
    expect(await read('debug')).toMatch(
      /DEBUG \[Request\] GET \/api\/v1\/gateway\/stats: 401, \d+ ms requestId=look-1\n/,
    );
    const quiet = await read('info');
    expect(quiet).toContain('Ready as');
    expect(quiet).not.toContain('look-1');
    await store.drop();
  });
});
