import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { TestCa } from '../../../test/support/certificates';
import { eventually } from '../../../test/support/eventually';
import { HttpProxy } from '../../../test/support/http-proxy';
import { ScriptedLookup } from '../../../test/support/scripted-lookup';
import { WebhookTarget } from '../../../test/support/webhook-target';
import { AddressPolicy } from './address-policy';
import { ConnectionPool } from './connection-pool';
import { GuardedConnector } from './guarded-connector';
import { OutboundHttp } from './outbound-http';
import type { OutboundOptions } from '../proxy/outbound-options';
import { TunnelAgent } from '../proxy/tunnel-agent';

describe('connections through a proxy', () => {
  const ca = new TestCa();
  // `hooks.test` does not resolve here, only at the proxy.
  const names = new ScriptedLookup({ 'internal.test': [['10.0.0.1']], 'direct.test': [['127.0.0.1']] });
  const policy = new AddressPolicy(['127.0.0.1/32']);
  let proxy: HttpProxy;
  let target: WebhookTarget;
  let options: OutboundOptions;
  let outbound: OutboundHttp;

  beforeAll(async () => {
    proxy = await HttpProxy.start('user:pass word');
    const certificate = ca.issue(['hooks.test', 'internal.test', 'direct.test']);
    target = await WebhookTarget.https(certificate, (request, response) => {
      response.end(`${request.method ?? ''} of ${request.headers.host ?? ''}`);
    });
    options = {
      extraCa: [ca.cert],
      proxyFor: (host) =>
        host === 'direct.test' ? undefined : new URL(`http://user:pass%20word@127.0.0.1:${proxy.port}`),
    };
    outbound = new OutboundHttp(policy, names, options);
  });
  beforeEach(() => {
    proxy.connected.length = 0;
    proxy.isUnresponsive = false;
  });
  afterAll(async () => {
    outbound.onApplicationShutdown();
    await Promise.all([proxy.close(), target.close()]);
  });

  const post = (host: string, by = outbound) => by.post(target.url(host, 'https'), {}, Buffer.from('{}'));
  const answered = (host: string) => ({
    kind: 'answered',
    status: 200,
    body: `POST of ${host}:${target.port}`,
  });

  describe('for webhooks', () => {
    it('reaches a host whose name only the proxy knows', async () => {
      expect(await post('hooks.test')).toEqual(answered('hooks.test'));
      expect(proxy.connected).toEqual([`hooks.test:${target.port}`]);
    });

    it('reaches a host without the proxy if the operator says so', async () => {
      expect(await post('direct.test')).toEqual(answered('direct.test'));
      expect(proxy.connected).toEqual([]);
    });

    it('refuses forbidden addresses before it asks the proxy', async () => {
      expect(await post('internal.test')).toMatchObject({ kind: 'refused' });
      expect(await post('10.0.0.1')).toMatchObject({ kind: 'refused' });
      expect(proxy.connected).toEqual([]);
    });

    it('sends nothing to a host that has no certificate for the name', async () => {
      const result = await post('other.test');
      expect(result).toMatchObject({
        kind: 'failed',
        reason: expect.stringContaining('certificate') as string,
      });
      expect(proxy.connected).toEqual([`other.test:${target.port}`]);
    });

    it('reports that the proxy refuses, or cannot be reached', async () => {
      const through = (url: string) =>
        new OutboundHttp(policy, names, { ...options, proxyFor: () => new URL(url) });
      const stranger = through(`http://127.0.0.1:${proxy.port}`);
      expect(await post('hooks.test', stranger)).toEqual({
        kind: 'failed',
        reason: 'the proxy answered 407 to CONNECT',
      });
      const nobody = through('http://127.0.0.1:1');
      expect(await post('hooks.test', nobody)).toEqual({ kind: 'failed', reason: 'connection refused' });
      for (const each of [stranger, nobody]) each.onApplicationShutdown();
    });

    it('closes its connection to a proxy that does not answer', async () => {
      proxy.isUnresponsive = true;
      const pool = new ConnectionPool(new GuardedConnector(policy, names, options));
      const connection = pool.acquire(`https://hooks.test:${target.port}`);
      const response = connection.client.request({ method: 'GET', path: '/' });
      const failed = expect(response).rejects.toThrow();
      await eventually(
        () => proxy.connected.length,
        (count) => count > 0,
      );
      pool.destroy(connection);
      await failed;
      await eventually(
        () => proxy.openConnections,
        (count) => count === 0,
      );
      pool.close();
    });
  });

  describe('for libraries', () => {
    const read = (host: string, agent: TunnelAgent) =>
      new Promise<string>((resolve, reject) => {
        const request = get({ host, port: target.port, agent }, (response) => {
          text(response).then(resolve, reject);
        });
        request.on('error', reject);
        // FCM counts a push as sent once its request has a connection.
        request.once('socket', (socket) => {
          if (socket.connecting) reject(new Error('The connection is not ready'));
        });
      });

    it('reaches a host, and keeps the connection', async () => {
      const agent = new TunnelAgent({ keepAlive: true }, options);
      const host = `hooks.test:${target.port}`;
      expect(await read('hooks.test', agent)).toBe(`GET of ${host}`);
      await setImmediate(); // The agent has the connection back.
      expect(await read('hooks.test', agent)).toBe(`GET of ${host}`);
      expect(proxy.connected).toEqual([host]);
      agent.destroy();
    });

    it('fails a request that the proxy refuses, or whose host has no certificate for the name', async () => {
      const stranger = new URL(`http://127.0.0.1:${proxy.port}`);
      const refused = new TunnelAgent({}, { ...options, proxyFor: () => stranger });
      await expect(read('hooks.test', refused)).rejects.toThrow('the proxy answered 407 to CONNECT');
      await expect(read('other.test', new TunnelAgent({}, options))).rejects.toThrow(/altnames/);
    });
  });
});
