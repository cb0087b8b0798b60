import type { LookupAddress } from 'node:dns';
import { isIP, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { isNativeError } from 'node:util/types';
import { buildConnector } from 'undici';
import { AddressPolicy } from './address-policy';
import { NameLookup } from './name-lookup';

/**
 * How long one of several addresses may take to connect before the next is tried. Node's own 250 ms would fail far
 * away servers: each try but the last is given up, and the last may be an IPv6 address this machine has no way to.
 */
const ADDRESS_LIMIT_MS = 2_500;

/** The address policy refuses where a request would go. It says nothing of what was found there. */
export class AddressRefused extends Error {
  constructor() {
    super(
      'this is not a public address; the operator of the service can allow its network with WEBHOOK_ALLOWED_CIDRS',
    );
  }
}

/** A name that was looked up without an error, yet has no address. */
class NoAddress extends Error {
  readonly code = 'ENOTFOUND';
}

/**
 * The addresses a host name stands for, all of them allowed.
 * @param hostname a name, or an IP address as URLs hold it (in brackets) or as the system does.
 * @param signal gives the lookup of a name up.
 * @throws AddressRefused when the policy refuses any of them; the lookup's error when the name has none.
 */
export async function allowedAddresses(
  hostname: string,
  policy: AddressPolicy,
  names: NameLookup,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const literal = hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(literal);
  const addresses = family
    ? [{ address: literal, family }]
    : await unlessAborted(names.lookup(hostname, signal), signal);
  if (addresses.length === 0) throw new NoAddress(`${hostname} has no address`);
  if (!addresses.every(({ address }) => policy.allows(address))) throw new AddressRefused();
  return addresses;
}

/** @throws when the signal is aborted before the work is done; the work itself is left to end unseen. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let giveUp: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => {
      reject(new Error('The lookup was given up'));
    };
  });
  signal.addEventListener('abort', giveUp);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

/**
 * Opens connections for undici, to allowed addresses only. They are judged here and not before the request, because
 * whoever holds a name can change what it stands for in between.
 */
export class GuardedConnector {
  /** @param secureContext the certificate authorities that are trusted; Node's own when absent. */
  constructor(
    private readonly policy: AddressPolicy,
    private readonly names: NameLookup,
    private readonly secureContext?: SecureContext,
  ) {}

  /** @param signal closes what was opened, and gives up what is being opened, a lookup included. */
  within(signal: AbortSignal): buildConnector.connector {
    return (target, callback) => {
      void this.open(target, signal).then(
        (socket) => {
          callback(null, socket);
        },
        (failure: unknown) => {
          callback(isNativeError(failure) ? failure : new Error(String(failure)), null);
        },
      );
    };
  }

  private async open(target: buildConnector.Options, signal: AbortSignal): Promise<Socket> {
    const addresses = await allowedAddresses(target.hostname, this.policy, this.names, signal);
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
      secureContext: this.secureContext,
      // The signal limits it.
      timeout: 0,
      // They would be kept for this connector alone, which opens one connection.
      maxCachedSessions: 0,
    });
    return new Promise((resolve, reject) => {
      connect(target, (failure, socket) => {
        if (failure) reject(failure);
        else resolve(socket);
      });
    });
  }
}
