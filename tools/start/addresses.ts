import type { NetworkInterfaceInfo } from 'node:os';

type Environment = Readonly<Record<string, string | undefined>>;
type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

const EVERYWHERE = ['0.0.0.0', '::'];
const LOOPBACK = /^(localhost|127\.|::1$)/;

/** Templates leave variables empty; an empty one counts as absent. */
export function readVariable(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
}

/** The URL of the service on this computer. */
export function localUrl(env: Environment): string {
  const host = readVariable(env, 'HOST') ?? '0.0.0.0';
  return urlOf(EVERYWHERE.includes(host) ? '127.0.0.1' : host, env);
}

/** The URL for phones in the same network. @returns undefined if HOST is a loopback address or there is no network. */
export function urlForPhones(env: Environment, interfaces: Interfaces): string | undefined {
  const host = readVariable(env, 'HOST') ?? '0.0.0.0';
  if (LOOPBACK.test(host)) return undefined;
  if (!EVERYWHERE.includes(host)) return urlOf(host, env);
  const addresses = Object.values(interfaces).flatMap((found) => found ?? []);
  const outside = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
  return outside && urlOf(outside.address, env);
}

function urlOf(host: string, env: Environment): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${readVariable(env, 'PORT') ?? '3000'}`;
}
