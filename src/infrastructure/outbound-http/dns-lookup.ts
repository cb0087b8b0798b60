import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isNativeError } from 'node:util/types';
import { LookupFailed, SystemLookup } from './system-lookup';

const QUERY_TIMEOUT_MS = 2_000;
const MAX_TRIES = 2;

const OTHER_FAMILY_TIMEOUT_MS = 1_000;

/** The name does not exist in DNS, is not valid there, or no name server is reachable. */
const NOT_IN_DNS: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ECONNREFUSED']);

export abstract class DnsLookup {
  /**
   * @param signal aborts the lookup.
   * @returns the addresses; of one family only if the query for the other fails or does not answer in time.
   * @throws an error with a system `code`: `ENOTFOUND` when the name does not exist, `EAI_AGAIN` when the lookup
   * failed.
   */
  abstract lookup(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]>;
}

/**
 * Queries DNS first, then the system for names that are not in DNS: the hosts file, container search domains, local
 * names. The system comes second because its lookups run one at a time, and an unresponsive name server delays them all.
 */
export class SystemDnsLookup extends DnsLookup {
  /** @param nameServers addresses with ports, such as `127.0.0.1:53`; those of the system by default. */
  constructor(
    private readonly nameServers?: readonly string[],
    private readonly systemLookup = new SystemLookup(),
  ) {
    super();
  }

  async lookup(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const results = await this.queryNameServers(hostname, signal);
    const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (found.length > 0) return found;
    const codes = results.map((result) => result.status === 'rejected' && codeOf(result.reason));
    if (codes.every((code) => NOT_IN_DNS.has(code))) return this.systemLookup.lookup(hostname, signal);
    throw new LookupFailed(`The DNS lookup of ${hostname} failed (${codes.join(', ')})`);
  }

  /** Uses a resolver per lookup, because `cancel()` cancels all queries of a resolver. */
  private async queryNameServers(
    hostname: string,
    signal: AbortSignal,
  ): Promise<readonly PromiseSettledResult<readonly LookupAddress[]>[]> {
    const resolver = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: MAX_TRIES });
    if (this.nameServers) resolver.setServers(this.nameServers);
    const cancel = () => {
      resolver.cancel();
    };
    let otherFamilyTimer: NodeJS.Timeout | undefined;
    const addresses = async (family: 4 | 6, query: Promise<readonly string[]>) => {
      const found = await query;
      otherFamilyTimer ??= setTimeout(cancel, OTHER_FAMILY_TIMEOUT_MS);
      return found.map((address) => ({ address, family }));
    };
    signal.addEventListener('abort', cancel);
    try {
      return await Promise.allSettled([
        addresses(4, resolver.resolve4(hostname)),
        addresses(6, resolver.resolve6(hostname)),
      ]);
    } finally {
      signal.removeEventListener('abort', cancel);
      clearTimeout(otherFamilyTimer);
    }
  }
}

function codeOf(error: unknown): unknown {
  return isNativeError(error) && 'code' in error ? error.code : undefined;
}
