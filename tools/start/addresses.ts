import type { NetworkInterfaceInfo } from 'node:os';
import { localUrl as localServiceUrl } from '../../src/config/local-url';
import { reachableAddresses } from '../../src/pairing-codes/addresses/phone-addresses';

type Environment = Readonly<Record<string, string | undefined>>;
type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/** Templates leave variables empty; an empty one counts as absent. */
export function readVariable(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
}

/** The URL of the service on this computer. */
export function localUrl(env: Environment): string {
  return localServiceUrl(readVariable(env, 'HOST') ?? '0.0.0.0', portOf(env)) + basePathOf(env);
}

/** The URL for phones in the same network. @returns undefined if HOST is a loopback address or there is no network. */
export function urlForPhones(env: Environment, interfaces: Interfaces): string | undefined {
  const host = readVariable(env, 'HOST') ?? '0.0.0.0';
  const location = { interfaces, host, port: Number(portOf(env)), path: basePathOf(env) };
  return reachableAddresses(location).find(({ kind }) => kind === 'network')?.url;
}

const basePathOf = (env: Environment): string => (readVariable(env, 'BASE_PATH') ?? '').replace(/\/+$/, '');

const portOf = (env: Environment): string => readVariable(env, 'PORT') ?? '3000';
