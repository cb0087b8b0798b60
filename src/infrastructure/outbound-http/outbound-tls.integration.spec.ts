import type { RequestListener } from 'node:http';
import { type CertificateWithKey, selfSignedCertificate, TestCa } from '../../../test/support/certificates';
import { ScriptedLookup } from '../../../test/support/scripted-lookup';
import { WebhookTarget } from '../../../test/support/webhook-target';
import { AddressPolicy } from './address-policy';
import { OutboundHttp } from './outbound-http';

describe('OutboundHttp over TLS', () => {
  const ca = new TestCa();
  const names = new ScriptedLookup({ 'hooks.test': [['127.0.0.1']] });
  const policy = new AddressPolicy(['127.0.0.1/32', '::1/128']);
  const trusting = new OutboundHttp(policy, names, { extraCa: [ca.cert] });
  const ordinary = new OutboundHttp(policy, names, {});
  const seen = jest.fn();
  let target: WebhookTarget | undefined;

  afterEach(async () => {
    await target?.close();
    target = undefined;
    seen.mockClear();
  });

  afterAll(() => {
    for (const outbound of [trusting, ordinary]) outbound.onApplicationShutdown();
  });

  const listener: RequestListener = (request, response) => {
    seen(request.url);
    response.end('safe');
  };

  async function post(outbound: OutboundHttp, certified: CertificateWithKey, host: string) {
    target = await WebhookTarget.https(certified, listener);
    return outbound.post(target.url(host, 'https'), {}, Buffer.from('{}'));
  }

  it.each([
    ['a name', 'hooks.test', ['hooks.test']],
    ['a wildcard', 'hooks.test', ['*.test', 'hooks.test']],
    ['an address', '127.0.0.1', ['127.0.0.1']],
    ['an IPv6 address', '[::1]', ['::1']],
  ])('accepts a certificate for %s from a trusted authority', async (_, host, certifiedFor) => {
    expect(await post(trusting, ca.issue(certifiedFor), host)).toEqual({
      kind: 'answered',
      status: 200,
      body: 'safe',
    });
  });

  it.each([
    [
      'of an unknown authority',
      ordinary,
      () => ca.issue(['hooks.test']),
      /unable to verify the first certificate$/,
    ],
    [
      'that is self-signed',
      trusting,
      () => selfSignedCertificate(['hooks.test']),
      /self-signed certificate$/,
    ],
    [
      'for another host name',
      trusting,
      () => ca.issue(['other.test']),
      /it was issued for another host name$/,
    ],
    ['for an address only', trusting, () => ca.issue(['127.0.0.1']), /it was issued for another host name$/],
    [
      'that has expired',
      trusting,
      () => ca.issue(['hooks.test'], new Date('2021-01-01')),
      /certificate has expired$/,
    ],
  ])('rejects a certificate %s', async (_, outbound, certified, reason) => {
    const result = await post(outbound, certified(), 'hooks.test');
    expect(result).toMatchObject({ kind: 'failed', reason: expect.stringMatching(reason) as string });
    expect(result).toMatchObject({
      reason: expect.stringMatching(/^the certificate is not valid: /) as string,
    });
    expect(seen).not.toHaveBeenCalled();
  });

  it('fails when the server does not speak TLS', async () => {
    target = await WebhookTarget.http(listener);
    const result = await trusting.post(target.url('hooks.test', 'https'), {}, Buffer.from('{}'));
    expect(result).toEqual({ kind: 'failed', reason: 'TLS failed: wrong version number' });
  });

  it('fails when the server closes the connection during the handshake', async () => {
    target = await WebhookTarget.raw('');
    const result = await trusting.post(target.url('hooks.test', 'https'), {}, Buffer.from('{}'));
    expect(result).toEqual({ kind: 'failed', reason: 'the connection was reset' });
  });
});
