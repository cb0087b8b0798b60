import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isRecord, parseOrUndefined } from '../wire';

type Fields = Readonly<Record<string, unknown>>;

interface StoredMessage {
  readonly id: string;
  readonly text: string;
  readonly recipient: string;
  readonly simNumber: number | undefined;
  state: string;
  error: string | undefined;
  readonly states: Record<string, string>;
}

interface StoredText {
  readonly id: string;
  readonly sender: string;
  readonly contentPreview: string;
  readonly createdAt: string;
  /** Whether the app has read it from the inbox of the phone. */
  isListed: boolean;
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** No decimals, or three. */
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?(Z|[+-]\d\d:\d\d)$/;
const PASSWORD = '12345678';

/** A stand-in of the app's local server for tests, as strict as the app. */
export class LocalServerStandIn {
  readonly user = 'sms';
  readonly password = PASSWORD;
  /** The ids that were sent, in order. An id twice is an SMS twice. */
  readonly aired: string[] = [];
  readonly calls: string[] = [];
  /** What happens to the next POSTs: the answer is lost after the message is stored, or the request before. */
  faults: ('answerLost' | 'requestLost')[] = [];
  /** Another one after the data of the app was cleared. */
  deviceId = 'abc123';
  /** Whether it reports `Sent` at once. */
  sendsAtOnce = true;
  health: 'pass' | 'fail' = 'pass';
  simCards: readonly Fields[] = [
    { slotIndex: 0, simNumber: 1, carrierName: 'One' },
    { slotIndex: 1, simNumber: 2, carrierName: 'Two' },
  ];
  private readonly messages = new Map<string, StoredMessage>();
  private texts: StoredText[] = [];
  private received = 0;
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();
  private port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** A second call uses the same port. */
  async listen(): Promise<void> {
    const server = createServer((request, response) => {
      void this.handle(request, response);
    });
    server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    await new Promise<void>((resolve) => {
      server.listen(this.port, '127.0.0.1', resolve);
    });
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** The phone leaves the network. */
  async leave(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  /** Clears the data of the app. */
  forget(): void {
    this.messages.clear();
  }

  message(id: string): StoredMessage | undefined {
    return this.messages.get(id);
  }

  change(id: string, state: 'Sent' | 'Delivered' | 'Failed', error?: string): void {
    const message = this.messages.get(id);
    if (message === undefined) throw new Error(`no message ${id}`);
    if (state === 'Sent') this.aired.push(id);
    message.state = state;
    message.error = error;
    message.states[state] = appTime();
  }

  /** @param options.ageMs how long it was on its way. @param options.isListed false while the app is off. */
  receive(sender: string, text: string, { ageMs = 0, isListed = true } = {}): void {
    this.received += 1;
    const createdAt = new Date(Date.now() - ageMs).toISOString();
    this.texts.unshift({ id: `text:-${this.received}`, sender, contentPreview: text, createdAt, isListed });
    this.texts = this.texts.sort((one, other) => other.createdAt.localeCompare(one.createdAt));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.url);
    const { method = '' } = request;
    this.calls.push(`${method} ${url.pathname}`);
    let text = '';
    request.setEncoding('utf8');
    for await (const chunk of request) text += String(chunk);
    try {
      if (url.pathname === '/health') {
        this.answer(response, this.health === 'fail' ? 500 : 200, this.healthBody());
        return;
      }
      const expected = `Basic ${Buffer.from(`${this.user}:${PASSWORD}`).toString('base64')}`;
      if (request.headers.authorization !== expected) throw new Refusal(401, 'Unauthorized');
      const isJson = request.headers['content-type']?.startsWith('application/json') === true;
      if (method === 'POST' && !isJson) throw new Refusal(415, 'Unsupported Media Type');
      const fault = method === 'POST' && url.pathname === '/messages' ? this.faults.shift() : undefined;
      if (fault === 'requestLost') return;
      const { status, body, headers } = this.route(method, url, parseOrUndefined(text));
      if (fault === 'answerLost') return;
      this.answer(response, status, body, headers);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.answer(response, error.status, { message: error.message });
    }
  }

  private route(
    method: string,
    url: URL,
    body: unknown,
  ): { status: number; body: unknown; headers?: Record<string, string> } {
    const [, first = '', second = ''] = url.pathname.split('/');
    switch (`${method} ${first}${second === '' ? '' : '/*'}`) {
      case 'GET device':
        return { status: 200, body: [{ id: this.deviceId, name: 'Google/oriole', simCards: this.simCards }] };
      case 'POST messages':
        return { status: 202, body: viewOf(this.post(url, body)) };
      case 'GET messages/*':
        return { status: 200, body: viewOf(this.require(second)) };
      case 'DELETE messages/*':
        return { status: 200, body: this.cancel(second) };
      case 'GET inbox':
        return this.inbox(url);
      case 'POST inbox/*':
        return { status: 202, body: this.refresh(body) };
      default:
        throw new Refusal(404, 'Not Found');
    }
  }

  private post(url: URL, body: unknown): StoredMessage {
    if (!isRecord(body)) throw new Refusal(400, 'invalid body');
    const { id, textMessage, phoneNumbers, simNumber, validUntil } = body;
    if (typeof id !== 'string' || id.length > 36) throw new Refusal(400, 'id must be a string of at most 36');
    if (!isRecord(textMessage) || typeof textMessage.text !== 'string')
      throw new Refusal(400, 'textMessage is missing');
    const recipient: unknown = Array.isArray(phoneNumbers) ? phoneNumbers[0] : undefined;
    if (typeof recipient !== 'string') throw new Refusal(400, 'phoneNumbers is empty');
    if (url.searchParams.get('skipPhoneValidation') !== 'true')
      throw new Refusal(400, 'invalid phone number');
    if (validUntil !== undefined && dateIn(validUntil) <= Date.now())
      throw new Refusal(400, 'message already expired');
    if (this.messages.has(id)) throw new Refusal(409, 'message with this id exists');
    const message = {
      id,
      text: textMessage.text,
      recipient,
      simNumber: typeof simNumber === 'number' ? simNumber : undefined,
      state: 'Pending',
      error: undefined,
      states: { Pending: appTime() },
    };
    this.messages.set(id, message);
    if (this.sendsAtOnce) this.change(id, 'Sent');
    return message;
  }

  private require(id: string): StoredMessage {
    const message = this.messages.get(id);
    if (message === undefined) throw new Refusal(404, 'message not found');
    return message;
  }

  private cancel(id: string): Fields {
    const message = this.require(id);
    if (message.state !== 'Pending') throw new Refusal(400, 'message is not pending');
    message.state = 'Cancelled';
    return viewOf(message);
  }

  private inbox(url: URL): { status: number; body: unknown; headers: Record<string, string> } {
    const [from, to] = ['from', 'to'].map((name) => dateIn(url.searchParams.get(name)));
    const [limit, offset] = ['limit', 'offset'].map((name) => Number(url.searchParams.get(name)));
    if (from === undefined || to === undefined || limit === undefined || offset === undefined)
      throw new Refusal(400, 'missing parameter');
    if (!(limit >= 1 && limit <= 500)) throw new Refusal(400, 'limit must be 1 to 500');
    const all = this.texts.filter(
      ({ createdAt, isListed }) => isListed && Date.parse(createdAt) >= from && Date.parse(createdAt) <= to,
    );
    const body = all.slice(offset, offset + limit).map(({ id, sender, contentPreview, createdAt }) => ({
      id,
      type: 'SMS',
      sender,
      contentPreview,
      createdAt,
    }));
    return { status: 200, body, headers: { 'x-total-count': String(all.length) } };
  }

  private refresh(body: unknown): Fields {
    if (!isRecord(body)) throw new Refusal(400, 'invalid body');
    const [since, until] = [dateIn(body.since), dateIn(body.until)];
    for (const text of this.texts) {
      const time = Date.parse(text.createdAt);
      if (time >= since && time <= until) text.isListed = true;
    }
    return {};
  }

  private healthBody(): Fields {
    return {
      status: this.health,
      version: '1.68.0',
      releaseId: 123,
      checks: { 'battery:level': { observedValue: 87 }, 'battery:charging': { observedValue: 5 } },
    };
  }

  private answer(
    response: ServerResponse,
    status: number,
    body: unknown,
    headers: Record<string, string> = {},
  ): void {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }
}

function viewOf({ id, text, recipient, state, error, states }: StoredMessage): Fields {
  return {
    id,
    deviceId: 'abc123',
    state,
    isHashed: false,
    isEncrypted: false,
    textMessage: { text },
    recipients: [{ phoneNumber: recipient, state, ...(error !== undefined && { error }) }],
    states,
  };
}

function dateIn(value: unknown): number {
  if (typeof value !== 'string' || !DATE.test(value)) throw new Refusal(400, `invalid date ${String(value)}`);
  return Date.parse(value);
}

/** As the app writes times. */
function appTime(): string {
  return new Date().toISOString().replace('Z', '+00:00');
}
