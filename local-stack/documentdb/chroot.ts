import { type Home } from '../home';
import { run } from '../processes';

/** What apt in there needs of our environment: how to reach the network. */
const PASSED_ON = ['http_proxy', 'https_proxy', 'no_proxy'] as const;

function environment(): string[] {
  const proxies = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  return ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LANG=C.UTF-8', 'DEBIAN_FRONTEND=noninteractive', ...proxies];
}

/** Where PostgreSQL's data is, inside. */
export const POSTGRES_DATA = '/srv/data';

/** A Debian folder. */
export interface Debian {
  readonly root: string;
  /** A folder outside that takes the place of the data inside. */
  readonly data?: string;
}

/** The mounts stand in a namespace of their own: none is left behind for a later `rm -r` to walk into. */
const ENTER = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"';
const ENTER_WITH_DATA = `data="$1"; shift; mount --bind "$data" "$0${POSTGRES_DATA}" && ${ENTER}`;

/** Runs a program inside a Debian folder, as root, to its end. */
export function runInside({ root, data }: Debian, program: readonly string[], log: string): Promise<void> {
  const enter = data === undefined ? [ENTER, root] : [ENTER_WITH_DATA, root, data];
  return run('unshare', ['--mount', 'sh', '-c', ...enter, 'env', '-i', ...environment(), ...program], log);
}

/** Runs a program inside a Debian folder as its user `postgres`. */
export function runAsPostgres(debian: Debian, program: readonly string[], log: string): Promise<void> {
  const user = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'];
  return runInside(debian, [...user, ...program], log);
}

/** The folder with Debian and PostgreSQL. */
export function debianRoot(home: Home): string {
  return `${home.documentdb}/debian`;
}

/** The Debian of a home, with the home's data in it. */
export function debianOf(home: Home): Debian {
  return { root: debianRoot(home), data: home.documentdbData };
}

/** Where PostgreSQL's data of a home is, outside. */
export function dataFolder(home: Home): string {
  return home.documentdbData ?? `${debianRoot(home)}${POSTGRES_DATA}`;
}
