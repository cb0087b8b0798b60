import type { LookupAddress } from 'node:dns';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { isNativeError } from 'node:util/types';
import { buildConnector } from 'undici';
import { AddressPolicy } from './address-policy';
import { DnsLookup } from './dns-lookup';

/**
 * Time to try one of several addresses. Node's default of 250 ms fails for distant servers when the last address is
 * an unreachable IPv6 one.
 */
const ADDRESS_TIMEOUT_MS = 2_500;

/** Does not name the address, so that webhooks cannot be used to look up internal host names. */
export class AddressNotAllowed extends Error {
  constructor() {
    super(
      'this is not a public address; the operator of the service can allow its network with WEBHOOK_ALLOWED_CIDRS',
    );
  }
}

class NoAddress extends Error {
  readonly code = 'ENOTFOUND';
}

/**
 * Resolves a host name to addresses, all of which must be allowed.
 * @param hostname a name, or an IP address, with or without brackets.
 * @param signal aborts the lookup.
 * @throws AddressNotAllowed when the policy refuses any address; the lookup's error when there is none.
 */
export async function resolveAllowedAddresses(
  hostname: string,
  policy: AddressPolicy,
  dns: DnsLookup,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(literal);
  const addresses = family
    ? [{ address: literal, family }]
    : await abortable(dns.lookup(hostname, signal), signal);
  if (addresses.length === 0) throw new NoAddress(`${hostname} has no address`);
  if (!addresses.every(({ address }) => policy.allows(address))) throw new AddressNotAllowed();
  return addresses;
}

/** Rejects when the signal aborts; the lookup itself continues in the background. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      reject(new Error('The DNS lookup was aborted'));
    };
  });
  signal.addEventListener('abort', onAbort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * Opens connections for undici to allowed addresses only. The check is part of connecting, because DNS may change
 * between a check and a request (DNS rebinding).
 */
export class GuardedConnector {
  /** @param secureContext trusted certificate authorities; Node's own by default. */
  constructor(
    private readonly policy: AddressPolicy,
    private readonly dns: DnsLookup,
    private readonly secureContext?: SecureContext,
  ) {}

  /** @param signal closes the connection, or aborts the lookup or connection attempt. */
  connectorFor(signal: AbortSignal): buildConnector.connector {
    return (target, callback) => {
      void this.open(target, signal).then(
        (socket) => {
          callback(null, socket);
        },
        (error: unknown) => {
          callback(isNativeError(error) ? error : new Error(String(error)), null);
        },
      );
    };
  }

  private async open(target: buildConnector.Options, signal: AbortSignal): Promise<Socket> {
    const addresses = await resolveAllowedAddresses(target.hostname, this.policy, this.dns, signal);
    const connect = buildConnector({
      signal,
      // Connects to the checked addresses without a second lookup. undici skips this for an IP address in the URL.
      lookup: (_hostname, _options, answer) => {
        answer(null, [...addresses]);
      },
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
      // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED can change the default.
      rejectUnauthorized: true,
      secureContext: this.secureContext,
      timeout: 0, // the signal ends it
      // A connector opens one connection, so cached TLS sessions are never reused.
      maxCachedSessions: 0,
    });
    return new Promise((resolve, reject) => {
      connect(target, (error, socket) => {
        if (error) reject(error);
        else resolve(socket);
      });
    });
  }
}
