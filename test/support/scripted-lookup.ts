import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { DnsLookup } from '../../src/infrastructure/outbound-http/dns-lookup';

/** What one lookup finds: addresses, an error's code, or that it is never answered. */
type Found = readonly string[] | 'ENOTFOUND' | 'EAI_AGAIN' | 'silence';

/** A name service that answers each name with what the test says, in turn; the last of it again and again. */
export class ScriptedLookup extends DnsLookup {
  /** The queried names. */
  readonly queries: string[] = [];

  constructor(private readonly script: Readonly<Record<string, readonly Found[]>> = {}) {
    super();
  }

  async lookup(hostname: string): Promise<readonly LookupAddress[]> {
    const answers = this.script[hostname] ?? ['ENOTFOUND'];
    const turn = this.queries.filter((name) => name === hostname).length;
    this.queries.push(hostname);
    const found = answers[Math.min(turn, answers.length - 1)] ?? 'ENOTFOUND';
    if (found === 'silence') return new Promise(() => undefined);
    if (typeof found === 'string') throw Object.assign(new Error(`getaddrinfo ${found}`), { code: found });
    return Promise.resolve(found.map((address) => ({ address, family: isIP(address) })));
  }
}
