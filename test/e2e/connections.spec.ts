import { setTimeout as sleep } from 'node:timers/promises';
import { CONNECTION_LIMITS, type ConnectionLimits } from '../../src/common/http/connections/http-server';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { RawConnection } from '../support/raw-connection';
import { TestService } from '../support/service';

describe('connections', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({
      limits: { headersTimeoutMs: 2_000, requestTimeoutMs: 3_000, checkIntervalMs: 50, keepAliveMs: 300 },
    });
    client = await service.newAccount();
  });
  afterAll(() => service.stop());

  const open = () => new RawConnection(service.url);
  const head = (path = '/api/v1/gateway/stats', method = 'GET') =>
    `${method} ${path} HTTP/1.1\r\nhost: x\r\n`;
  const key = () => `x-api-key: ${client.apiKey}\r\n`;
  const isHealthy = async () => {
    expect((await client.get('/gateway/stats')).status).toBe(200);
  };

  describe('of slow clients', () => {
    it('are closed during slow headers', async () => {
      const connection = open();
      connection.write(head());
      await Promise.all([connection.writeSlowly('x-a: b\r\n'), connection.waitUntilClosed()]);
      expect(connection.statuses).toEqual(['408']);
      await isHealthy();
    });

    it.each([
      ['with a key', () => key(), []],
      ['without one, who got their answer', () => '', ['401']],
    ])('are closed during a slow body: %s', async (_, header, answered) => {
      const connection = open();
      connection.write(
        `${head('/api/v1/gateway/send-sms', 'POST')}${header()}content-length: 100000\r\n\r\n`,
      );
      await Promise.all([connection.writeSlowly('{'), connection.waitUntilClosed()]);
      expect(connection.statuses.slice(0, 1)).toEqual(answered.length > 0 ? answered : ['408']);
      await isHealthy();
    });

    it('stay open for a phone stream', async () => {
      const device = await client.newDevice();
      const connection = open();
      connection.write(`${head(`/api/v1/gateway/devices/${device}/stream`)}${key()}\r\n`);
      await eventually(() => connection.statuses.length, Boolean);
      await sleep(4_000);
      expect([connection.isClosed, connection.statuses]).toEqual([false, ['200']]);
      connection.close();
    });

    it('are closed when idle between requests', async () => {
      const connection = open();
      connection.write(`${head()}${key()}\r\n`);
      await eventually(() => connection.statuses.length, Boolean);
      const answeredAt = performance.now();
      await connection.waitUntilClosed();
      // Node's own limit is five seconds.
      expect(performance.now() - answeredAt).toBeLessThan(4_500);
      expect(connection.statuses).toEqual(['200']);
    });
  });

  describe('with large requests', () => {
    it('reject headers over the limit', async () => {
      const connection = open();
      connection.write(`${head()}${key()}x-long: ${'x'.repeat(CONNECTION_LIMITS.maxHeaderBytes)}\r\n\r\n`);
      await connection.waitUntilClosed();
      expect(connection.statuses).toEqual(['431']);
    });

    it('reject a URL over the limit', async () => {
      const connection = open();
      connection.write(
        `${head(`/api/v1/gateway/messages?search=${'x'.repeat(CONNECTION_LIMITS.maxHeaderBytes)}`)}\r\n`,
      );
      await connection.waitUntilClosed();
      expect(connection.statuses).toEqual(['431']);
    });

    it('ignore headers after the maximum number', async () => {
      const filler = Array.from({ length: CONNECTION_LIMITS.maxHeaders }, (_, i) => `x-${i}: 1\r\n`).join('');
      const connection = open();
      connection.write(`${head()}${filler}${key()}\r\n`);
      await connection.waitUntilClosed();
      // Node 20 drops further headers; later versions reject the request.
      expect([['401'], ['431']]).toContainEqual(connection.statuses);
    });

    it('reject bytes that are not HTTP', async () => {
      const twoLengths = `${head()}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`;
      for (const nonsense of ['\0\0\0\0\r\n\r\n', `${head()}content-length: -1\r\n\r\n`, twoLengths]) {
        const connection = open();
        connection.write(nonsense);
        await connection.waitUntilClosed();
        expect(connection.statuses).toEqual(['400']);
      }
      await isHealthy();
    });
  });

  it('without a pending response do not delay the shutdown', async () => {
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
      connection.write(text);
      return connection;
    });
    await eventually(
      () => connections.flatMap(({ statuses }) => statuses),
      (statuses) => statuses.length === 3,
    );
    const startedAt = Date.now();
    await other.stop();
    expect(Date.now() - startedAt).toBeLessThan(10_000);
  });

  it('with a pending response are answered before the shutdown', async () => {
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

  it('on which only empty lines arrive are closed', async () => {
    const connection = open();
    connection.write(`${head()}${key()}\r\n`);
    await eventually(
      () => connection.statuses,
      (statuses) => statuses.length === 1,
    );
    await Promise.all([connection.writeSlowly('\r\n'), connection.waitUntilClosed()]);
    expect(connection.statuses).toEqual(['200']);
  });

  describe('are limited in number', () => {
    let small: TestService;
    const phones: RawConnection[] = [];
    afterEach(async () => {
      for (const phone of phones.splice(0)) phone.close();
      await small.stop();
    });

    const start = async (limits: Partial<ConnectionLimits>, TRUST_PROXY?: string) =>
      (small = await TestService.start({ shared: service, limits, environment: { TRUST_PROXY } }));
    const connect = (text = '', address = '127.0.0.1') => {
      const phone = new RawConnection(small.url, address);
      phone.write(text);
      phones.push(phone);
      return phone;
    };
    const stream = (device: string) => `${head(`/api/v1/gateway/devices/${device}/stream`)}${key()}\r\n`;
    const closed = (connections: readonly RawConnection[]) => connections.map(({ isClosed }) => isClosed);
    const answered = (connection: RawConnection) =>
      eventually(
        () => connection.statuses,
        (statuses) => statuses.length === 1,
      );

    it('and the one that has been silent for the longest time gives way', async () => {
      await start({ maxConnections: 4 });
      const open = connect(stream(await client.newDevice()));
      await answered(open);
      const silent = [connect(), connect('GET / HT'), connect()];
      await Promise.all(silent.map(async (each) => each.waitUntilConnected()));
      const idle = connect(`${head()}${key()}\r\n`); // closes the first
      await answered(idle);
      const newest = connect(`${head()}${key()}\r\n`); // closes the second
      await answered(newest);
      await eventually(
        () => closed([open, ...silent, idle, newest]),
        (now) => now.filter(Boolean).length === 2,
      );
      expect(closed([open, ...silent, idle, newest])).toEqual([false, true, true, false, false, false]);
    });

    it('and without a silent one, new ones are closed', async () => {
      await start({ maxConnections: 2 });
      const streams = [await client.newDevice(), await client.newDevice()].map((id) => connect(stream(id)));
      await Promise.all(streams.map(answered));
      const late = connect(`${head()}${key()}\r\n`);
      await late.waitUntilClosed();
      expect([closed(streams), late.statuses]).toEqual([[false, false], []]);
    });

    it('of one address, beside which other addresses connect', async () => {
      await start({ maxConnections: 300, maxConnectionsPerAddress: 150, headersTimeoutMs: 60_000 });
      const silent = Array.from({ length: 330 }, () => connect());
      await eventually(
        () => closed(silent).filter(Boolean).length,
        (count) => count === 180,
      );
      const others = Array.from({ length: 150 }, () => connect('', '127.0.0.2'));
      await Promise.all(others.map(async (each) => each.waitUntilConnected()));
      const third = connect(`${head()}${key()}\r\n`, '127.0.0.3');
      await answered(third);
      expect(third.statuses).toEqual(['200']);
      expect(closed(silent).filter(Boolean)).toHaveLength(181);
      expect(closed(others)).toEqual(others.map(() => false));
    });

    it.each(['1', 'loopback'])('but not those of a trusted proxy (TRUST_PROXY=%s)', async (TRUST_PROXY) => {
      await start({ maxConnectionsPerAddress: 2, headersTimeoutMs: 60_000 }, TRUST_PROXY);
      const silent = Array.from({ length: 5 }, () => connect());
      await Promise.all(silent.map(async (each) => each.waitUntilConnected()));
      const last = connect(`${head()}${key()}\r\n`);
      await answered(last);
      expect(closed(silent)).toEqual(silent.map(() => false));
    });
  });
});
