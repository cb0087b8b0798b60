import { lookup as systemLookup } from 'node:dns/promises';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually';
import { DnsServer } from '../../../test/support/dns-server';
import { AddressPolicy } from './address-policy';
import { SystemDnsLookup } from './dns-lookup';
import { LocalNames } from './local-names';
import { OutboundHttp } from './outbound-http';
import { SystemLookup } from './system-lookup';

/** Names whose name servers never answer. */
const SILENT = Object.fromEntries(
  ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name}.silent.test`, 'no response' as const]),
);

describe('SystemDnsLookup', () => {
  let server: DnsServer;
  let names: SystemDnsLookup;
  const neverAborted = new AbortController();

  beforeAll(async () => {
    server = await DnsServer.start({
      'hooks.test': ['93.184.215.14', '2606:4700::1111', '93.184.215.15'],
      'four.test': ['93.184.215.14'],
      'half-silent.test': { 4: ['93.184.215.14'], 6: 'no response' },
      'half-broken.test': { 4: 'SERVFAIL', 6: ['2606:4700::1111'] },
      'half-known.test': { 4: 'NXDOMAIN', 6: 'SERVFAIL' },
      'broken.test': 'SERVFAIL',
      ...SILENT,
    });
    names = new SystemDnsLookup([server.address]);
  });
  afterAll(() => server.close());

  const look = (name: string, signal = neverAborted.signal) => names.lookup(name, signal);

  const isQuick = async (work: Promise<unknown>) => {
    const began = performance.now();
    await work;
    expect(performance.now() - began).toBeLessThan(3_500);
  };

  it('returns every address of a name', async () => {
    const addresses = await look('hooks.test');
    expect(addresses).toHaveLength(3);
    expect(addresses).toEqual(
      expect.arrayContaining([
        { address: '93.184.215.14', family: 4 },
        { address: '93.184.215.15', family: 4 },
        { address: '2606:4700::1111', family: 6 },
      ]),
    );
    expect(await look('four.test')).toEqual([{ address: '93.184.215.14', family: 4 }]);
  });

  it('does not cache', async () => {
    const before = server.queries.length;
    for (let round = 0; round < 3; round++) await look('hooks.test');
    expect(server.queries.length - before).toBe(6);
  });

  it('is not delayed by unresponsive name servers, nor is the rest of the process', async () => {
    const given = new AbortController();
    const silent = Object.keys(SILENT).map((name) => look(name, given.signal));
    await eventually(
      () => server.queries.filter((name) => name in SILENT).length,
      (count) => count >= 12,
    );
    await isQuick(look('hooks.test'));
    await isQuick(look('localhost'));
    await isQuick(systemLookup('localhost'));
    // Aborting ends the pending lookups.
    given.abort();
    const ended = Promise.allSettled(silent);
    await isQuick(ended);
    for (const { status } of await ended) expect(status).toBe('rejected');
  });

  it.each([
    ['half-silent.test', '93.184.215.14'],
    ['half-broken.test', '2606:4700::1111'],
  ])('returns the addresses of one family when the other fails or times out: %s', async (name, address) => {
    const found = look(name);
    // Both tries of the family that does not answer would take four seconds.
    await isQuick(found);
    expect(await found).toMatchObject([{ address }]);
  });

  it.each(['broken.test', 'half-known.test', 'a.silent.test'])(
    'fails without a system lookup when the name servers fail: %s',
    async (name) => {
      const asked: string[] = [];
      const system = new SystemLookup((hostname) => {
        asked.push(hostname);
        return Promise.resolve([]);
      });
      const dns = new SystemDnsLookup([server.address], system);
      await expect(dns.lookup(name, neverAborted.signal)).rejects.toMatchObject({ code: 'EAI_AGAIN' });
      expect(asked).toEqual([]);
    },
  );

  it('stops querying when the request is aborted', async () => {
    const outbound = new OutboundHttp(new AddressPolicy([]), names, {});
    const count = () => server.queries.filter((name) => name === 'f.silent.test').length;
    const before = count();
    const result = outbound.post('http://f.silent.test/', {}, Buffer.from('{}'));
    await eventually(count, (asked) => asked === before + 2);
    outbound.onApplicationShutdown();
    expect(await result).toMatchObject({ kind: 'failed' });
    // Longer than a retry would take.
    await sleep(3_500);
    expect(count()).toBe(before + 2);
  });

  describe('falls back to the system', () => {
    it('for nothing that the hosts file or a search domain knows, whatever hangs there', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'names-'));
      const [hosts, resolver] = [join(folder, 'hosts'), join(folder, 'resolv.conf')];
      writeFileSync(hosts, '192.0.2.7 hooks.example.com\n');
      writeFileSync(resolver, 'search none\nsearch gone.test test\n');
      const asked: string[] = [];
      const hanging = new SystemLookup((hostname) => {
        asked.push(hostname);
        if (hostname === 'printer.local') return Promise.resolve([{ address: '192.0.2.8', family: 4 }]);
        return new Promise(() => undefined);
      });
      const dns = new SystemDnsLookup([server.address], hanging, new LocalNames(hosts, resolver));
      const given = new AbortController();
      const hang = (name: string) => void dns.lookup(name, given.signal).catch(() => undefined);
      hang('a.example');
      await eventually(
        () => asked,
        (names) => names.length === 1,
      );
      for (const name of ['b.example', 'c.example']) hang(name);
      const addressOf = async (name: string) => (await dns.lookup(name, neverAborted.signal))[0]?.address;
      expect(await addressOf('hooks.example.com')).toBe('192.0.2.7');
      expect(await addressOf('four')).toBe('93.184.215.14');
      expect(await addressOf('printer.local')).toBe('192.0.2.8');
      expect(asked).toEqual(['a.example', 'printer.local']);
      given.abort();
      rmSync(folder, { recursive: true });
    });

    it('for a name in the hosts file', async () => {
      const addresses = await look('localhost');
      expect(addresses.length).toBeGreaterThan(0);
      for (const { address } of addresses) expect(['127.0.0.1', '::1']).toContain(address);
    });

    it('when there is no name server', async () => {
      const gone = await DnsServer.start();
      const { address } = gone;
      await gone.close();
      const addresses = await new SystemDnsLookup([address]).lookup('localhost', neverAborted.signal);
      expect(addresses.length).toBeGreaterThan(0);
    });

    it('for a name that is invalid in DNS, and fails when there is none', async () => {
      // Longer than a DNS label may be, so that no name server is queried.
      await expect(look(`${'a'.repeat(64)}.invalid`)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    });
  });
});
