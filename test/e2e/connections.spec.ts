import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONNECTION_LIMITS } from '../../src/common/http/http-adapter';
import { DevicesRepository } from '../../src/devices/devices.repository';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { TestService } from '../support/service';

/** A client that speaks to the service byte by byte. */
class RawConnection {
  text = '';
  isClosed = false;
  private readonly socket: net.Socket;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.socket = net.connect(Number(port), hostname);
    this.socket.on('data', (data) => (this.text += data.toString()));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.isClosed = true));
  }

  get statuses(): string[] {
    return [...this.text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status = '']) => status);
  }

  say(text: string): void {
    if (!this.isClosed) this.socket.write(text);
  }

  /** Goes on saying something for as long as the service listens. */
  async dribble(text: string): Promise<void> {
    while (!this.isClosed) {
      this.say(text);
      await sleep(40);
    }
  }

  /** @returns how long it took the service to close it. */
  async closed(limitMs = 5_000): Promise<number> {
    const begun = Date.now();
    await eventually(
      () => this.isClosed,
      (isClosed) => isClosed,
      limitMs,
    );
    return Date.now() - begun;
  }

  close(): void {
    this.socket.destroy();
  }
}

describe('connections', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({
      limits: { headersTimeoutMs: 300, requestTimeoutMs: 700, checkEveryMs: 50, keepAliveMs: 300 },
    });
    client = await service.newAccount();
  });
  afterAll(() => service.stop());

  const open = () => new RawConnection(service.url);
  const head = (path = '/api/v1/gateway/stats', method = 'GET') =>
    `${method} ${path} HTTP/1.1\r\nhost: x\r\n`;
  const key = () => `x-api-key: ${client.apiKey}\r\n`;
  const isWell = async () => {
    expect((await client.get('/gateway/stats')).status).toBe(200);
  };

  describe('of slow clients are cut off', () => {
    it('in the headers', async () => {
      const connection = open();
      connection.say(head());
      await Promise.all([connection.dribble('x-a: b\r\n'), connection.closed(1_500)]);
      expect(connection.statuses).toEqual(['408']);
      await isWell();
    });

    it.each([
      ['with a key', () => key(), []],
      ['without one, who got their answer', () => '', ['401']],
    ])('in the body: %s', async (_, header, answered) => {
      const connection = open();
      connection.say(`${head('/api/v1/gateway/send-sms', 'POST')}${header()}content-length: 100000\r\n\r\n`);
      await Promise.all([connection.dribble('{'), connection.closed(2_500)]);
      expect(connection.statuses.slice(0, 1)).toEqual(answered.length > 0 ? answered : ['408']);
      await isWell();
    });

    it('a phone that holds its stream is not slow', async () => {
      const device = await client.newDevice();
      const connection = open();
      connection.say(`${head(`/api/v1/gateway/devices/${device}/stream`)}${key()}\r\n`);
      await sleep(1_200);
      expect([connection.isClosed, connection.statuses]).toEqual([false, ['200']]);
      connection.close();
    });

    it('between requests', async () => {
      const connection = open();
      connection.say(`${head()}${key()}\r\n`);
      expect(await connection.closed(3_000)).toBeLessThan(2_500);
      expect(connection.statuses).toEqual(['200']);
    });
  });

  describe('say only so much', () => {
    it('in their headers', async () => {
      const connection = open();
      connection.say(`${head()}${key()}x-long: ${'x'.repeat(CONNECTION_LIMITS.headerBytes)}\r\n\r\n`);
      await connection.closed();
      expect(connection.statuses).toEqual(['431']);
    });

    it('in their URL', async () => {
      const connection = open();
      connection.say(
        `${head(`/api/v1/gateway/messages?search=${'x'.repeat(CONNECTION_LIMITS.headerBytes)}`)}\r\n`,
      );
      await connection.closed();
      expect(connection.statuses).toEqual(['431']);
    });

    it('in headers in all: a key behind too many is not found', async () => {
      const filler = Array.from({ length: CONNECTION_LIMITS.headers }, (_, i) => `x-${i}: 1\r\n`).join('');
      const connection = open();
      connection.say(`${head()}${filler}${key()}\r\n`);
      await connection.closed();
      // Node 20 looks at no more of them, later ones refuse the request.
      expect([['401'], ['431']]).toContainEqual(connection.statuses);
    });

    it('and nothing that is not HTTP', async () => {
      const twoLengths = `${head()}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`;
      for (const nonsense of ['\0\0\0\0\r\n\r\n', `${head()}content-length: -1\r\n\r\n`, twoLengths]) {
        const connection = open();
        connection.say(nonsense);
        await connection.closed();
        expect(connection.statuses).toEqual(['400']);
      }
      await isWell();
    });
  });

  it('hold up no shutdown when nobody waits for an answer on them', async () => {
    const other = await TestService.start({ shared: service });
    const device = await client.at(other.url).newDevice();
    const requests = [
      `${head()}${key()}\r\n`, // might be followed by another
      `${head(`/api/v1/gateway/devices/${device}/stream`)}${key()}\r\n`,
      `${head('/api/v1/gateway/send-sms', 'POST')}content-length: 1000\r\n\r\n{`, // refused before it was read
      '', // a connection on reserve
    ];
    const connections = requests.map((text) => {
      const connection = new RawConnection(other.url);
      connection.say(text);
      return connection;
    });
    await eventually(
      () => connections.flatMap(({ statuses }) => statuses),
      (statuses) => statuses.length === 3,
    );
    const begun = Date.now();
    await other.stop();
    expect(Date.now() - begun).toBeLessThan(3_000);
  });

  it('are answered before a shutdown', async () => {
    const other = await TestService.start({ shared: service });
    const list = jest.spyOn(other.get(DevicesRepository), 'list').mockImplementation(async () => {
      await sleep(500);
      return [];
    });
    const answer = client.at(other.url).get('/gateway/devices');
    const answered = answer.then(({ status }) => status);
    await eventually(
      () => list.mock.calls.length,
      (calls) => calls === 1,
    );
    await other.stop();
    expect(await answered).toBe(200);
  });

  it('are only so many', async () => {
    const small = await TestService.start({ shared: service, limits: { connections: 3 } });
    const connections = Array.from({ length: 5 }, () => new RawConnection(small.url));
    await eventually(
      () => connections.filter(({ isClosed }) => isClosed).length,
      (closed) => closed === 2,
    );
    for (const connection of connections) connection.close();
    await eventually(
      () =>
        client
          .at(small.url)
          .get('/gateway/stats')
          .then(
            ({ status }) => status,
            () => 0,
          ),
      (status) => status === 200,
    );
    await small.stop();
  });
});
