import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isNativeError } from 'node:util/types';
import { LocalNames } from './local-names';
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
 * Queries DNS first, then for names that are not in DNS the hosts file and the search domains, which containers use. All of
 * these lookups run side by side and can be cancelled. The system comes last, for what else it knows, such as mDNS: its
 * lookups wait for each other.
 */
export class SystemDnsLookup extends DnsLookup {
  /** @param nameServers addresses with ports, such as `127.0.0.1:53`; those of the system by default. */
  constructor(
    private readonly nameServers?: readonly string[],
    private readonly systemLookup = new SystemLookup(),
    private readonly localNames = new LocalNames(),
  ) {
    super();
  }

  async lookup(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const { found, codes } = await this.queryNameServers(hostname, signal);
    if (found.length > 0) return found;
    if (codes.every((code) => NOT_IN_DNS.has(code))) {
      const local = await this.lookUpLocally(hostname, signal);
      return local.length > 0 ? local : this.systemLookup.lookup(hostname, signal);
    }
    throw new LookupFailed(`The DNS lookup of ${hostname} failed (${codes.join(', ')})`);
  }

  private async lookUpLocally(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const addresses = await this.localNames.addressesOf(hostname);
    if (addresses.length > 0) return addresses;
    for (const name of await this.localNames.fullNamesOf(hostname)) {
      const { found } = await this.queryNameServers(name, signal);
      if (found.length > 0) return found;
    }
    return [];
  }

  /** Uses a resolver per lookup, because `cancel()` cancels all queries of a resolver. */
  private async queryNameServers(
    hostname: string,
    signal: AbortSignal,
  ): Promise<{ readonly found: readonly LookupAddress[]; readonly codes: readonly unknown[] }> {
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
      const results = await Promise.allSettled([
        addresses(4, resolver.resolve4(hostname)),
        addresses(6, resolver.resolve6(hostname)),
      ]);
      return {
        found: results.flatMap((result) => (result.status === 'fulfilled' ? result.value : [])),
        codes: results.map((result) => result.status === 'rejected' && codeOf(result.reason)),
      };
    } finally {
      signal.removeEventListener('abort', cancel);
      clearTimeout(otherFamilyTimer);
    }
  }
}

function codeOf(error: unknown): unknown {
  return isNativeError(error) && 'code' in error ? error.code : undefined;
}
