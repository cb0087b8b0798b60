export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

/** How to sign in to a server of Redis. */
export interface RedisAccess {
  readonly username?: string;
  readonly password?: string;
  readonly tls: boolean;
}

/** Several servers with the same credentials. */
export interface RedisHosts {
  readonly hosts: readonly [RedisHost, ...RedisHost[]];
  readonly access: RedisAccess;
}

/** The master that sentinels watch. */
export interface RedisMaster {
  readonly name: string;
  readonly access: RedisAccess;
  readonly database: number;
}

const ACCESS = /^(?:(rediss?):\/\/(?:([^:@/\s]*)(?::([^@/\s]*))?@)?)?([^@\s]+)$/;
const HOST = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i;
const MASTER = /^([\w.-]+)(?:\/(\d{1,4}))?$/;

/**
 * Parses `host:port,host:port`, with credentials and TLS as in `rediss://user:password@host:port,host:port`.
 * @returns undefined if it is anything else.
 */
export function parseRedisHosts(text: string, defaultPort: number): RedisHosts | undefined {
  const parsed = parseAccess(text);
  const [first, ...others] = parsed?.rest.split(',').map((part) => parseHost(part.trim(), defaultPort)) ?? [];
  if (!parsed || !first || others.includes(undefined)) return undefined;
  return { hosts: [first, ...others.filter((host) => host !== undefined)], access: parsed.access };
}

/**
 * Parses the name of a master, with credentials, TLS and database as in `rediss://user:password@name/0`.
 * @returns undefined if it is anything else.
 */
export function parseRedisMaster(text: string): RedisMaster | undefined {
  const parsed = parseAccess(text);
  const [, name, database = '0'] = MASTER.exec(parsed?.rest ?? '') ?? [];
  return parsed && name ? { name, access: parsed.access, database: Number(database) } : undefined;
}

/** Without credentials. */
export const formatRedisHosts = (hosts: readonly RedisHost[]): string =>
  hosts.map(({ host, port }) => `${host.includes(':') ? `[${host}]` : host}:${port}`).join(', ');

function parseAccess(text: string): { readonly access: RedisAccess; readonly rest: string } | undefined {
  // A list may have spaces after its commas.
  const [, scheme, username, password, rest] = ACCESS.exec(text.replace(/\s*,\s*/g, ',')) ?? [];
  if (!rest) return undefined;
  try {
    return {
      access: {
        ...(username && { username: decodeURIComponent(username) }),
        ...(password && { password: decodeURIComponent(password) }),
        tls: scheme === 'rediss',
      },
      rest,
    };
  } catch {
    return undefined; // an invalid escape
  }
}

function parseHost(text: string, defaultPort: number): RedisHost | undefined {
  const [, address, name, port] = HOST.exec(text) ?? [];
  const host = address ?? name;
  const number = port === undefined ? defaultPort : Number(port);
  return host && number > 0 && number < 65_536 ? { host, port: number } : undefined;
}
