import type { NetworkInterfaceInfo } from 'node:os';

type Environment = Readonly<Record<string, string | undefined>>;
type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

const EVERYWHERE = ['0.0.0.0', '::'];
const LOOPBACK = /^(localhost|127\.|::1$)/;

/** A variable, where one that a template leaves empty counts as absent. */
export function readVariable(env: Environment, name: string): string | undefined {
  const text = env[name]?.trim();
  return text === '' ? undefined : text;
}

/** Where this machine reaches the service that HOST and PORT make. */
export function localUrl(env: Environment): string {
  const host = readVariable(env, 'HOST') ?? '0.0.0.0';
  return urlOf(EVERYWHERE.includes(host) ? '127.0.0.1' : host, env);
}

/**
 * Where phones of the same network reach it.
 * @param interfaces those of this machine.
 * @returns undefined where HOST lets nobody else in, or the machine is in no network.
 */
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
