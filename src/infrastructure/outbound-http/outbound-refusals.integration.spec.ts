import * as fc from 'fast-check';
import { ScriptedLookup } from '../../../test/support/scripted-lookup';
import { WebhookTarget } from '../../../test/support/webhook-target';
import { AddressPolicy } from './address-policy';
import { OutboundHttp } from './outbound-http';

const NOT_PUBLIC =
  'this is not a public address; the operator of the service can allow its network with WEBHOOK_ALLOWED_CIDRS';

const PUBLIC = '93.184.215.14';

const LITERALS = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '%31%32%37.0.0.1',
  '127。0。0。1',
  '１２７.0.0.1',
  '①②⑦.0.0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::]',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '[::ffff:a9fe:a9fe]',
  '100.64.0.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.7',
  '[fe80::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[2002:7f00:1::]',
  '[64:ff9b::7f00:1]',
  '[2001:db8::1]',
  '[2001::1]',
  '[ff02::1]',
];

describe('OutboundHttp refuses', () => {
  let target: WebhookTarget;
  const clients: OutboundHttp[] = [];

  beforeAll(async () => {
    // Listens on all addresses, so that a request that bypassed the check would arrive.
    target = await WebhookTarget.http((_request, response) => response.end('reached'));
  });

  afterEach(() => {
    for (const outbound of clients.splice(0)) outbound.onApplicationShutdown();
  });

  afterAll(() => target.close());

  function outboundWith(lookup = new ScriptedLookup(), allowed: string[] = []): OutboundHttp {
    const outbound = new OutboundHttp(new AddressPolicy(allowed), lookup, {});
    clients.push(outbound);
    return outbound;
  }

  const post = (outbound: OutboundHttp, url: string) => outbound.post(url, {}, Buffer.from('{}'));

  describe('a private or special address in the URL', () => {
    it.each(LITERALS)('%s', async (host) => {
      const lookup = new ScriptedLookup();
      const outbound = outboundWith(lookup);
      for (const scheme of ['http', 'https'] as const) {
        const url = target.url(host, scheme);
        expect(await outbound.checkUrl(url)).toBe(NOT_PUBLIC);
        expect(await post(outbound, url)).toEqual({
          kind: 'refused',
          reason: NOT_PUBLIC,
        });
      }
      expect(lookup.queries).toEqual([]);
      expect(target.connections).toBe(0);
    });

    it('in any notation that URLs allow', async () => {
      const outbound = outboundWith();
      const octet = fc.integer({ min: 0, max: 255 });
      const privateAddress = fc.oneof(
        fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
        fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
        fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
        fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
        fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
        fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
      );
      const radix = fc.constantFrom(
        (part: number) => String(part),
        (part: number) => `0${part.toString(8)}`,
        (part: number) => `0x${part.toString(16)}`,
        (part: number) => `0X000${part.toString(16).toUpperCase()}`,
      );
      const disguise = fc.constantFrom(
        (host: string) => host,
        (host: string) => `${host}.`,
        (host: string) => host.replaceAll('.', '。'),
        (host: string) => host.replaceAll('1', '%31'),
        (host: string) => host.replaceAll('2', '２'),
      );
      const spelling = fc
        .tuple(
          privateAddress,
          fc.integer({ min: 1, max: 4 }),
          fc.array(radix, { minLength: 4, maxLength: 4 }),
          disguise,
        )
        .map(([octets, parts, radixes, disguised]) => {
          const rest = octets.slice(parts - 1).reduce((sum, value) => sum * 256 + value, 0);
          const numbers = [...octets.slice(0, parts - 1), rest];
          return disguised(numbers.map((number, index) => radixes[index]?.(number) ?? '').join('.'));
        });
      await fc.assert(
        fc.asyncProperty(spelling, async (host) => {
          expect(await outbound.checkUrl(`http://${host}/`)).toBe(NOT_PUBLIC);
          expect(await post(outbound, target.url(host))).toMatchObject({ kind: 'refused' });
        }),
        { numRuns: 500 },
      );
      expect(target.connections).toBe(0);
    });
  });

  describe('a host name that resolves to', () => {
    it.each([
      ['a private address', ['127.0.0.1']],
      ['a public and a private address', [PUBLIC, '127.0.0.1']],
      ['a private and a public address', ['127.0.0.1', PUBLIC]],
      ['an IPv4-mapped private address', ['::ffff:127.0.0.1']],
      ['a public and a private IPv6 address', [PUBLIC, '::1']],
      ['a value that is not an IP address', ['127.1']],
    ])('%s', async (_, addresses) => {
      const outbound = outboundWith(new ScriptedLookup({ 'inward.test': [addresses] }));
      const url = target.url('inward.test');
      expect(await outbound.checkUrl(url)).toBe(NOT_PUBLIC);
      expect(await post(outbound, url)).toEqual({
        kind: 'refused',
        reason: NOT_PUBLIC,
      });
      expect(target.connections).toBe(0);
    });

    it('a private address when it is sent, though it was public when checked (DNS rebinding)', async () => {
      const lookup = new ScriptedLookup({ 'rebound.test': [[PUBLIC], ['127.0.0.1']] });
      const outbound = outboundWith(lookup);
      const url = target.url('rebound.test');
      expect(await outbound.checkUrl(url)).toBeUndefined();
      expect(await post(outbound, url)).toMatchObject({ kind: 'refused' });
      expect(lookup.queries).toEqual(['rebound.test', 'rebound.test']);
      expect(target.connections).toBe(0);
    });

    it('a private address on the next lookup: each request looks up once and connects to that address', async () => {
      const allowed = await WebhookTarget.http((_request, response) => {
        response.writeHead(200, { connection: 'close' }).end('the allowed one');
      }, '127.0.0.2');
      const lookup = new ScriptedLookup({ 'rebound.test': [['127.0.0.2'], ['127.0.0.1']] });
      const outbound = outboundWith(lookup, ['127.0.0.2/32']);
      const url = allowed.url('rebound.test');
      expect(await post(outbound, url)).toMatchObject({ kind: 'answered', body: 'the allowed one' });
      expect(lookup.queries).toHaveLength(1);
      expect(await post(outbound, url)).toMatchObject({ kind: 'refused' });
      expect(lookup.queries).toHaveLength(2);
      expect(allowed.connections).toBe(1);
      await allowed.close();
    });
  });

  describe('a URL', () => {
    it.each([
      ['', /complete URL/],
      ['example.com/hook', /complete URL/],
      ['//example.com/hook', /complete URL/],
      ['http://', /complete URL/],
      ['http://exa mple.com/', /complete URL/],
      ['http://[::1/', /complete URL/],
      ['http://1.2.3.256/', /complete URL/],
      ['http://example.com:99999/', /complete URL/],
      ['http://example.com:22/', /^the port must be 80, 443, or 1024 or above$/],
      ['https://example.com:1023/', /^the port must be/],
      ['http://example.com:0/', /^the port must be/],
      ['ftp://example.com/', /http:\/\/ or https:\/\//],
      ['file:///etc/passwd', /http:\/\/ or https:\/\//],
      ['javascript:alert(1)', /http:\/\/ or https:\/\//],
      ['gopher://127.0.0.1:6379/_INFO', /http:\/\/ or https:\/\//],
      ['unix:/var/run/docker.sock', /http:\/\/ or https:\/\//],
      ['https://user:secret@example.com/', /user name or a password/],
      ['https://user@example.com/', /user name or a password/],
      ['https://:secret@example.com/', /user name or a password/],
      [`https://example.com/${'x'.repeat(2_029)}`, /longer than 2048 characters/],
    ])('%s', async (url, reason) => {
      const outbound = outboundWith();
      expect(await outbound.checkUrl(url)).toMatch(reason);
      expect(await post(outbound, url)).toEqual({
        kind: 'refused',
        reason: expect.stringMatching(reason) as string,
      });
    });

    it('but accepts 2,048 characters', async () => {
      expect(await outboundWith().checkUrl(`https://example.com/${'x'.repeat(2_028)}`)).toBeUndefined();
    });
  });

  describe('localhost', () => {
    const hosts = ['localhost', 'LOCALHOST', 'localhost.', 'any.localhost', 'a.b.localhost.'];

    it.each(hosts)('%s, without a DNS lookup', async (host) => {
      const lookup = new ScriptedLookup();
      expect(await outboundWith(lookup).checkUrl(`http://${host}/`)).toBe(NOT_PUBLIC);
      expect(lookup.queries).toEqual([]);
    });

    it('unless loopback addresses are allowed', async () => {
      const lookup = new ScriptedLookup({ localhost: [['127.0.0.1']], 'six.localhost': [['::1']] });
      expect(await outboundWith(lookup, ['127.0.0.0/8']).checkUrl('http://localhost/')).toBeUndefined();
      expect(await outboundWith(lookup, ['::1/128']).checkUrl('http://six.localhost/')).toBeUndefined();
      expect(await outboundWith(lookup, ['127.0.0.0/8']).checkUrl('http://six.localhost/')).toBe(NOT_PUBLIC);
    });

    it('but not a name that only contains it', async () => {
      for (const host of ['notlocalhost', 'localhost.example.com', 'localhost.test'])
        expect(await outboundWith().checkUrl(`http://${host}/`)).toBeUndefined();
    });
  });

  it('not a URL whose host name does not resolve yet', async () => {
    const lookup = new ScriptedLookup({ 'busy.test': ['EAI_AGAIN'] });
    expect(await outboundWith(lookup).checkUrl('https://not-yet.test/hook')).toBeUndefined();
    expect(await outboundWith(lookup).checkUrl('https://busy.test/hook')).toBeUndefined();
  });

  it('not a URL whose host name does not resolve within 3 s', async () => {
    const lookup = new ScriptedLookup({ 'silent.test': ['no response'] });
    const began = performance.now();
    expect(await outboundWith(lookup).checkUrl('https://silent.test/hook')).toBeUndefined();
    expect(performance.now() - began).toBeGreaterThan(2_900);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
