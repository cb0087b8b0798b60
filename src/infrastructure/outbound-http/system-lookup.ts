import type { LookupAddress } from 'node:dns';
import { lookup as dnsLookup } from 'node:dns/promises';

export class LookupFailed extends Error {
  readonly code = 'EAI_AGAIN';
}

interface PendingLookup {
  readonly signals: AbortSignal[];
  readonly result: Promise<readonly LookupAddress[]>;
}

/** Top-level domains that nobody can register, so that no stranger's name server answers for them. */
const PRIVATE_NAME =
  /^[^.]+\.?$|\.(arpa|corp|home|internal|intranet|lan|local|localdomain|localhost|test)\.?$/i;

/**
 * Looks names up through the system (`getaddrinfo`): private names one at a time, and apart from them public ones one at a time,
 * whose name servers can belong to a stranger and never answer. A lookup blocks a libuv thread until the last name server
 * has timed out and cannot be cancelled; this leaves other threads free.
 */
export class SystemLookup {
  private readonly pending = new Map<string, PendingLookup>();
  private readonly lastLookups = new Map<boolean, Promise<unknown>>();

  constructor(
    private readonly systemLookup: (hostname: string) => Promise<readonly LookupAddress[]> = (hostname) =>
      dnsLookup(hostname, { all: true, verbatim: true }),
  ) {}

  /**
   * Concurrent lookups of one name share a request.
   * @param signal aborts for one caller; a queued lookup is skipped when all its callers have aborted.
   * @throws the system's error (`ENOTFOUND`, `EAI_AGAIN`) when there is no such name.
   */
  lookup(hostname: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    const shared = this.pending.get(hostname);
    if (shared) {
      shared.signals.push(signal);
      return shared.result;
    }
    const signals = [signal];
    const isPrivate = PRIVATE_NAME.test(hostname);
    const result = Promise.resolve(this.lastLookups.get(isPrivate))
      .then(() => {
        if (signals.every(({ aborted }) => aborted))
          throw new LookupFailed(`The lookup of ${hostname} was aborted by every caller`);
        return this.systemLookup(hostname);
      })
      .finally(() => this.pending.delete(hostname));
    this.pending.set(hostname, { signals, result });
    this.lastLookups.set(
      isPrivate,
      result.catch(() => undefined),
    );
    return result;
  }
}
