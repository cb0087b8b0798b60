import { lookup as systemLookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../test/support/eventually';
import { NameServer } from '../../../test/support/name-server';
import { AddressPolicy } from './address-policy';
import { SystemNameLookup } from './name-lookup';
import { OutboundHttp } from './outbound-http';
import { SystemNames } from './system-names';

/** Names whose servers never answer. */
const SILENT = Object.fromEntries(
  ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [`${name}.silent.test`, 'silence' as const]),
);

describe('the lookup of names', () => {
  let server: NameServer;
  let names: SystemNameLookup;
  const patience = new AbortController();

  beforeAll(async () => {
    server = await NameServer.start({
      'hooks.test': ['93.184.215.14', '2606:4700::1111', '93.184.215.15'],
      'four.test': ['93.184.215.14'],
      'half-silent.test': { 4: ['93.184.215.14'], 6: 'silence' },
      'half-broken.test': { 4: 'server failure', 6: ['2606:4700::1111'] },
      'half-known.test': { 4: 'no such name', 6: 'server failure' },
      'broken.test': 'server failure',
      ...SILENT,
    });
    names = new SystemNameLookup([server.address]);
  });
  afterAll(() => server.close());

  const look = (name: string, signal = patience.signal) => names.lookup(name, signal);

  const isQuick = async (work: Promise<unknown>) => {
    const began = performance.now();
    await work;
    expect(performance.now() - began).toBeLessThan(1_900);
  };

  it('finds every address of a name', async () => {
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

  it('asks anew each time', async () => {
    const before = server.asked.length;
    for (let round = 0; round < 3; round++) await look('hooks.test');
    expect(server.asked.length - before).toBe(6);
  });

  it('is not held up by names whose servers are silent, nor is the rest of the process', async () => {
    const given = new AbortController();
    const silent = Object.keys(SILENT).map((name) => look(name, given.signal));
    await eventually(
      () => server.asked.filter((name) => name in SILENT).length,
      (count) => count >= 12,
    );
    await isQuick(look('hooks.test'));
    await isQuick(look('localhost'));
    await isQuick(systemLookup('localhost'));
    // And ends with those who asked.
    given.abort();
    const ended = Promise.allSettled(silent);
    await isQuick(ended);
    for (const { status } of await ended) expect(status).toBe('rejected');
  });

  it.each([
    ['half-silent.test', '93.184.215.14'],
    ['half-broken.test', '2606:4700::1111'],
  ])('takes what one family has where the other does not come: %s', async (name, address) => {
    const began = performance.now();
    expect(await look(name)).toMatchObject([{ address }]);
    expect(performance.now() - began).toBeLessThan(1_900);
  });

  it.each(['broken.test', 'half-known.test', 'a.silent.test'])(
    'fails, and does not ask the system, where the name servers cannot tell: %s',
    async (name) => {
      const asked: string[] = [];
      const system = new SystemNames((hostname) => {
        asked.push(hostname);
        return Promise.resolve([]);
      });
      const dns = new SystemNameLookup([server.address], system);
      await expect(dns.lookup(name, patience.signal)).rejects.toMatchObject({ code: 'EAI_AGAIN' });
      expect(asked).toEqual([]);
    },
  );

  it('asks no more when the request it was for is given up', async () => {
    const outbound = new OutboundHttp(new AddressPolicy([]), names, {});
    const count = () => server.asked.filter((name) => name === 'f.silent.test').length;
    const before = count();
    const result = outbound.post('http://f.silent.test/', {}, Buffer.from('{}'));
    await eventually(count, (asked) => asked === before + 2);
    outbound.onApplicationShutdown();
    expect(await result).toMatchObject({ kind: 'failed' });
    // When the server would have been asked once more.
    await sleep(3_500);
    expect(count()).toBe(before + 2);
  });

  describe('asks the system', () => {
    it('for a name of the hosts file', async () => {
      const addresses = await look('localhost');
      expect(addresses.length).toBeGreaterThan(0);
      for (const { address } of addresses) expect(['127.0.0.1', '::1']).toContain(address);
    });

    it('where there is no name server', async () => {
      const gone = await NameServer.start();
      const { address } = gone;
      await gone.close();
      const addresses = await new SystemNameLookup([address]).lookup('localhost', patience.signal);
      expect(addresses.length).toBeGreaterThan(0);
    });

    it('for a name that DNS cannot have, and fails where there is none', async () => {
      // Longer than a name may be: no server has to be asked.
      await expect(look(`${'a'.repeat(64)}.invalid`)).rejects.toMatchObject({ code: 'ENOTFOUND' });
    });
  });
});
