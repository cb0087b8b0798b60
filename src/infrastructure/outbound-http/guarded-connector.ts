import type { LookupAddress } from 'node:dns';
import { isIP, type Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { isNativeError } from 'node:util/types';
import { buildConnector } from 'undici';
import { AddressPolicy } from './address-policy';
import { DnsLookup } from './dns-lookup';
import { type OutboundOptions, trustedAuthorities } from '../proxy/outbound-options';
import { openTunnel } from '../proxy/proxy-tunnel';

/**
 * Time to try one of several addresses. Node's default of 250 ms fails for distant servers when the last address is
 * an unreachable IPv6 one.
 */
const ADDRESS_TIMEOUT_MS = 2_500;

/** Behind a proxy, the service may have no DNS. */
const LOOKUP_TIMEOUT_BEHIND_PROXY_MS = 3_000;

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
  /** Trusted certificate authorities; Node's own if undefined. */
  private readonly secureContext?: SecureContext;

  constructor(
    private readonly policy: AddressPolicy,
    private readonly dns: DnsLookup,
    private readonly options: OutboundOptions,
  ) {
    const ca = trustedAuthorities(options.extraCa);
    if (ca) this.secureContext = createSecureContext({ ca });
  }

  /**
   * @param signal closes the connection, or aborts the lookup or connection attempt.
   * @param onConnected called before anything is read from the connection.
   */
  connectorFor(signal: AbortSignal, onConnected: (socket: Socket) => void): buildConnector.connector {
    return (target, callback) => {
      void this.open(target, signal).then(
        (socket) => {
          onConnected(socket);
          callback(null, socket);
        },
        (error: unknown) => {
          callback(isNativeError(error) ? error : new Error(String(error)), null);
        },
      );
    };
  }

  private open(target: buildConnector.Options, signal: AbortSignal): Promise<Socket> {
    const proxy = target.protocol === 'https:' ? this.options.proxyFor?.(target.hostname) : undefined;
    return proxy ? this.openThrough(proxy, target, signal) : this.openDirectly(target, signal);
  }

  private async openDirectly(target: buildConnector.Options, signal: AbortSignal): Promise<Socket> {
    const addresses = await resolveAllowedAddresses(target.hostname, this.policy, this.dns, signal);
    return this.connect(target, signal, {
      // Connects to the checked addresses without a second lookup. undici skips this for an IP address in the URL.
      lookup: (_hostname, _options, answer) => {
        answer(null, [...addresses]);
      },
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    });
  }

  /**
   * The proxy resolves the name again. It cannot be led to a server of the internal network by DNS, because nothing is sent
   * before the server has shown a certificate for the name.
   */
  private async openThrough(
    proxy: URL,
    target: buildConnector.Options,
    signal: AbortSignal,
  ): Promise<Socket> {
    await this.refuseForbiddenAddress(target.hostname, signal);
    const httpSocket = await openTunnel(proxy, target.hostname, Number(target.port) || 443, signal);
    return this.connect({ ...target, httpSocket }, signal);
  }

  /** @throws AddressNotAllowed; a name that does not resolve here is left to the proxy. */
  private async refuseForbiddenAddress(hostname: string, signal: AbortSignal): Promise<void> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_TIMEOUT_BEHIND_PROXY_MS)]);
    try {
      await resolveAllowedAddresses(hostname, this.policy, this.dns, limited);
    } catch (error) {
      if (error instanceof AddressNotAllowed || signal.aborted) throw error;
    }
  }

  private connect(
    target: buildConnector.Options,
    signal: AbortSignal,
    options: buildConnector.BuildOptions = {},
  ): Promise<Socket> {
    const connect = buildConnector({
      ...options,
      signal,
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
