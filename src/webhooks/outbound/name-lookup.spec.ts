import { SystemNameLookup } from './name-lookup';

describe('the lookup of names', () => {
  it('finds the addresses of a name', async () => {
    const addresses = await new SystemNameLookup().lookup('localhost');
    expect(addresses.length).toBeGreaterThan(0);
    for (const { address } of addresses) expect(['127.0.0.1', '::1']).toContain(address);
  });

  it('asks once for those who ask at the same time, and anew afterwards', async () => {
    const names = new SystemNameLookup();
    const first = names.lookup('localhost');
    expect(names.lookup('localhost')).toBe(first);
    await first;
    const next = names.lookup('localhost');
    expect(next).not.toBe(first);
    await next;
  });

  it('fails for all who asked, and asks anew afterwards', async () => {
    const names = new SystemNameLookup();
    // Longer than a name may be: no server has to be asked.
    const name = `${'a'.repeat(64)}.invalid`;
    const first = names.lookup(name);
    const second = names.lookup(name);
    await expect(first).rejects.toThrow();
    await expect(second).rejects.toThrow();
    const next = names.lookup(name);
    expect(next).not.toBe(first);
    await expect(next).rejects.toThrow();
  });
});
