import type { LookupAddress } from 'node:dns';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { AddressPolicy } from './address-policy';
import { NameLookup } from './name-lookup';

/**
 * How long one of several addresses may take to connect before the next is tried. Node's own 250 ms would fail far
 * away servers: each try but the last is given up, and the last may be an IPv6 address this machine has no way to.
 */
const ADDRESS_LIMIT_MS = 2_500;

/** The address policy refuses where a request would go. */
export class AddressRefused extends Error {}

/** A name that was looked up without an error, yet has no address. */
class NoAddress extends Error {
  readonly code = 'ENOTFOUND';
}

/**
 * Every address a host name stands for, all of them allowed.
 * @param hostname a name, or an IP address as URLs hold it (in brackets) or as the system does.
 * @throws AddressRefused when the policy refuses any of them; the lookup's error when the name has none.
 */
export async function allowedAddresses(
  hostname: string,
  policy: AddressPolicy,
  names: NameLookup,
): Promise<readonly LookupAddress[]> {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(literal);
  const addresses = family ? [{ address: literal, family }] : await names.lookup(hostname);
  if (addresses.length === 0) throw new NoAddress(`${hostname} has no address`);
  for (const { address } of addresses) {
    const refusal = policy.refusal(address);
    if (refusal) throw new AddressRefused(family ? refusal : `${hostname} is refused: ${refusal}`);
  }
  return addresses;
}

/** Rejects when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('The connection was given up'));
    });
  });
}

export interface ConnectorOptions {
  /** How long a connection may take to stand, its lookup and its TLS handshake included. */
  readonly limitMs: number;
  /** The certificate authorities that are trusted; Node's own when absent. */
  readonly secureContext?: SecureContext;
}

/**
 * Opens connections for undici, to allowed addresses only. They are judged here and not before the request, because
 * whoever holds a name can change what it stands for in between.
 */
export class GuardedConnector {
  private readonly opening = new Set<AbortController>();

  constructor(
    private readonly policy: AddressPolicy,
    private readonly names: NameLookup,
    private readonly options: ConnectorOptions,
  ) {}

  readonly connect: buildConnector.connector = (target, callback) => {
    const opening = new AbortController();
    const limit = setTimeout(() => {
      opening.abort();
    }, this.options.limitMs);
    this.opening.add(opening);
    void this.open(target, opening.signal)
      .finally(() => {
        clearTimeout(limit);
        this.opening.delete(opening);
      })
      .then(
        (socket) => {
          callback(null, socket);
        },
        (failure: unknown) => {
          callback(failure instanceof Error ? failure : new Error(String(failure)), null);
        },
      );
  };

  /** Gives up the connections that do not stand yet. */
  close(): void {
    for (const opening of this.opening) opening.abort();
  }

  private async open(target: buildConnector.Options, signal: AbortSignal): Promise<Socket> {
    const judged = allowedAddresses(target.hostname, this.policy, this.names);
    const addresses = await Promise.race([judged, aborted(signal)]);
    const connect = buildConnector({
      signal,
      // The very addresses that were judged. An IP address in the URL never comes here: it was judged above.
      lookup: (_hostname, _options, answer) => {
        answer(null, [...addresses]);
      },
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_LIMIT_MS,
      // Said although it is the default, which an environment variable of Node can turn off.
      rejectUnauthorized: true,
      secureContext: this.options.secureContext,
      // The signal limits it.
      timeout: 0,
    });
    return new Promise((resolve, reject) => {
      connect(target, (failure, socket) => {
        if (failure) reject(failure);
        else resolve(socket);
      });
    });
  }
}
