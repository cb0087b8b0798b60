import type { LookupAddress } from 'node:dns';
import { lookup as dnsLookup } from 'node:dns/promises';

export class LookupFailed extends Error {
  readonly code = 'EAI_AGAIN';
}

interface PendingLookup {
  readonly signals: AbortSignal[];
  readonly result: Promise<readonly LookupAddress[]>;
}

/**
 * Looks names up through the system (`getaddrinfo`), one at a time. A lookup blocks a libuv thread until the last
 * name server has timed out and cannot be cancelled; this leaves other threads free.
 */
export class SystemLookup {
  private readonly pending = new Map<string, PendingLookup>();
  private lastLookup: Promise<unknown> = Promise.resolve();

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
    const result = this.lastLookup
      .then(() => {
        if (signals.every(({ aborted }) => aborted))
          throw new LookupFailed(`The lookup of ${hostname} was aborted by every caller`);
        return this.systemLookup(hostname);
      })
      .finally(() => this.pending.delete(hostname));
    this.pending.set(hostname, { signals, result });
    this.lastLookup = result.catch(() => undefined);
    return result;
  }
}
