import { eventually } from '../../../test/support/eventually';
import { ScriptedLookup } from '../../../test/support/scripted-lookup';
import { WebhookTarget } from '../../../test/support/webhook-target';
import { AddressPolicy } from './address-policy';
import { OutboundHttp } from './outbound-http';

describe('the timeout of OutboundHttp', () => {
  it('ends a request after 15 s in any phase, and closes its connection', async () => {
    const names = new ScriptedLookup({ 'silent.test': ['no response'] });
    const outbound = new OutboundHttp(new AddressPolicy(['127.0.0.0/8']), names, {});
    const mute = await WebhookTarget.tcp((socket) => socket.resume());
    const withinHeaders = await WebhookTarget.raw('HTTP/1.1 200 OK\r\nContent-', 'stay');
    const withinBody = await WebhookTarget.raw('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', 'stay');
    // Keeps sending, but never completes.
    const dripping = await WebhookTarget.http((_request, response) => {
      const drip = setInterval(() => response.write('.'), 200);
      response.once('close', () => {
        clearInterval(drip);
      });
    });
    const interim = await WebhookTarget.tcp((socket) => {
      const drip = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 200);
      socket.resume().once('close', () => {
        clearInterval(drip);
      });
    });
    const targets = [mute, withinHeaders, withinBody, dripping, interim];
    const urls = [
      ...targets.map((target) => target.url()),
      mute.url('127.0.0.1', 'https'),
      'http://silent.test/',
    ];

    const ended = await Promise.all(
      urls.map(async (url) => {
        const began = performance.now();
        const result = await outbound.post(url, {}, Buffer.from('{}'));
        return { result, tookMs: performance.now() - began };
      }),
    );

    for (const { result, tookMs } of ended) {
      expect(result).toEqual({ kind: 'timed_out' });
      expect(tookMs).toBeGreaterThan(14_900);
      expect(tookMs).toBeLessThan(25_000);
    }
    await eventually(
      () => targets.map((target) => target.openConnections),
      (open) => open.every((count) => count === 0),
      1_000,
    );
    // One connection each, two to the first: no reconnect for an aborted request.
    expect(targets.map((target) => target.connections)).toEqual([2, 1, 1, 1, 1]);
    await Promise.all(targets.map((target) => target.close()));
    // The client's sockets are closed too.
    const held = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap');
    await eventually(held, (sockets) => sockets.length === 0, 1_000);
    outbound.onApplicationShutdown();
  });
});
