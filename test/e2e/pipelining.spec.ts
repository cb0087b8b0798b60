import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { DevicesRepository } from '../../src/devices/store/devices.repository';
import type { TestClient } from '../support/client';
import { eventually } from '../support/eventually';
import { RawConnection } from '../support/raw-connection';
import { TestService } from '../support/service';

describe('HTTP pipelining', () => {
  let service: TestService;
  let client: TestClient;

  beforeAll(async () => {
    service = await TestService.start();
    client = await service.newAccount();
  });
  afterAll(() => service.stop());

  const head = (path = '/api/v1/gateway/stats', method = 'GET') =>
    `${method} ${path} HTTP/1.1\r\nhost: x\r\n`;
  const key = () => `x-api-key: ${client.apiKey}\r\n`;

  it('starts one request after the other, and answers all in order', async () => {
    let running = 0;
    const list = jest.spyOn(service.get(DevicesRepository), 'list').mockImplementation(async () => {
      expect(++running).toBe(1);
      await sleep(1);
      running -= 1;
      return [];
    });
    const connection = new RawConnection(service.url);
    const pair = (index: number) =>
      `${head('/api/v1/gateway/devices')}${key()}x-request-id: ${2 * index}\r\n\r\n` +
      `${head('/unknown')}x-request-id: ${2 * index + 1}\r\n\r\n`;
    connection.write(Array.from({ length: 30 }, (_, index) => pair(index)).join(''));
    await eventually(
      () => connection.statuses,
      (statuses) => statuses.length === 60,
    );
    expect(list).toHaveBeenCalledTimes(30);
    list.mockRestore();
    const ids = Array.from(connection.text.matchAll(/^x-request-id: (\d+)/gm), ([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: 60 }, (_, index) => index));
    connection.close();
  });

  it('answers 72 KB of requests, and other connections in between', async () => {
    const connection = new RawConnection(service.url);
    const text = `${head('/health/live')}x-long: ${'x'.repeat(900)}\r\n\r\n`;
    const count = Math.ceil(72_000 / text.length);
    connection.write(text.repeat(count));
    // Without the database, which may take as long as all of them.
    expect((await request(service.url).get('/health/live')).status).toBe(200);
    expect(connection.statuses.length).toBeLessThan(count);
    await eventually(
      () => connection.statuses.length,
      (answered) => answered === count,
    );
    connection.close();
  });

  it('answers a request whose body arrives later', async () => {
    const connection = new RawConnection(service.url);
    const body = JSON.stringify({ email: 'nobody@example.com', password: 'a wrong password' });
    const logIn = `${head('/api/v1/auth/login', 'POST')}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    connection.write(`${head()}${key()}\r\n`.repeat(3) + logIn + body.slice(0, 20));
    await eventually(
      () => connection.statuses.length,
      (answered) => answered === 3,
    );
    connection.write(body.slice(20));
    await eventually(
      () => connection.statuses,
      (statuses) => statuses.length === 4,
    );
    expect(connection.statuses[3]).toBe('401');
    connection.close();
  });

  it('closes a connection when more requests wait than the process holds', async () => {
    const small = await TestService.start({ shared: service, limits: { maxWaitingRequests: 5 } });
    const connection = new RawConnection(small.url);
    connection.write(`${head()}${key()}\r\n`.repeat(20));
    await connection.waitUntilClosed();
    expect(connection.statuses.length).toBeLessThan(20);
    // What waited is no longer counted.
    const other = new RawConnection(small.url);
    other.write(`${head()}${key()}\r\n`.repeat(5));
    await eventually(
      () => other.statuses.length,
      (answered) => answered === 5,
    );
    other.close();
    await small.stop();
  });
});
