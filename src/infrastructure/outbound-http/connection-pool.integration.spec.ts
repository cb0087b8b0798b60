import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually';
import { ScriptedLookup } from '../../../test/support/scripted-lookup';
import { WebhookTarget } from '../../../test/support/webhook-target';
import { AddressPolicy } from './address-policy';
import { OutboundHttp } from './outbound-http';

describe('ConnectionPool', () => {
  const names = new ScriptedLookup({ 'rebound.test': [['127.0.0.1'], ['10.0.0.1']] });
  const outbound = new OutboundHttp(new AddressPolicy(['127.0.0.0/8']), names, {});
  let target: WebhookTarget;

  beforeAll(async () => {
    target = await WebhookTarget.http((_request, response) => response.end());
  });

  afterAll(async () => {
    outbound.onApplicationShutdown();
    await target.close();
  });

  it('reuses a connection for at most 10 s, then checks the address again', async () => {
    const began = performance.now();
    let answered = 0;
    for (;;) {
      const result = await outbound.post(target.url('rebound.test'), {}, Buffer.from('{}'));
      if (result.kind === 'refused' || performance.now() - began > 20_000) break;
      expect(result).toMatchObject({ kind: 'answered' });
      answered++;
      await sleep(200);
    }
    const tookMs = performance.now() - began;
    expect(tookMs).toBeGreaterThan(9_500);
    expect(tookMs).toBeLessThan(15_000);
    expect(answered).toBeGreaterThan(20);
    expect(target.connections).toBe(1);
    await eventually(
      () => target.openConnections,
      (open) => open === 0,
      1_000,
    );
  });
});
