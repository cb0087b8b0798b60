import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { DnsLookup } from '../../src/infrastructure/outbound-http/dns-lookup';

/** Addresses, an error code, or a lookup that never ends. */
type LookupResult = readonly string[] | 'ENOTFOUND' | 'EAI_AGAIN' | 'no response';

/** A DNS lookup with scripted results for each name; the last one repeats. */
export class ScriptedLookup extends DnsLookup {
  /** The queried names. */
  readonly queries: string[] = [];

  constructor(private readonly script: Readonly<Record<string, readonly LookupResult[]>> = {}) {
    super();
  }

  async lookup(hostname: string): Promise<readonly LookupAddress[]> {
    const answers = this.script[hostname] ?? ['ENOTFOUND'];
    const attempt = this.queries.filter((name) => name === hostname).length;
    this.queries.push(hostname);
    const result = answers[Math.min(attempt, answers.length - 1)] ?? 'ENOTFOUND';
    if (result === 'no response') return new Promise(() => undefined);
    if (typeof result === 'string') throw Object.assign(new Error(`getaddrinfo ${result}`), { code: result });
    return Promise.resolve(result.map((address) => ({ address, family: isIP(address) })));
  }
}
