import { setTimeout as sleep } from 'node:timers/promises';
import { CONNECTION_LIMITS } from '../../src/common/http/limited-fastify-adapter';
import { DevicesRepository } from '../../src/devices/devices.repository';
import { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { RawConnection } from '../support/raw-connection';
import { TestService } from '../support/service';

describe('connections', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start({
      limits: { headersTimeoutMs: 300, requestTimeoutMs: 700, checkIntervalMs: 50, keepAliveMs: 300 },
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
      await Promise.all([connection.writeSlowly('x-a: b\r\n'), connection.waitUntilClosed(1_500)]);
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
      await Promise.all([connection.writeSlowly('{'), connection.waitUntilClosed(2_500)]);
      expect(connection.statuses.slice(0, 1)).toEqual(answered.length > 0 ? answered : ['408']);
      await isHealthy();
    });

    it('stay open for a phone stream', async () => {
      const device = await client.newDevice();
      const connection = open();
      connection.write(`${head(`/api/v1/gateway/devices/${device}/stream`)}${key()}\r\n`);
      await sleep(1_200);
      expect([connection.isClosed, connection.statuses]).toEqual([false, ['200']]);
      connection.close();
    });

    it('are closed when idle between requests', async () => {
      const connection = open();
      connection.write(`${head()}${key()}\r\n`);
      expect(await connection.waitUntilClosed(3_000)).toBeLessThan(2_500);
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
    expect(Date.now() - startedAt).toBeLessThan(3_000);
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

  it('are limited in number', async () => {
    const small = await TestService.start({ shared: service, limits: { maxConnections: 3 } });
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
