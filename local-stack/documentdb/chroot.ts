import { type Home } from '../home';
import { run } from '../processes';

/** Variables that apt needs to reach the network. */
const PASSED_ON = ['http_proxy', 'https_proxy', 'no_proxy'] as const;

function environment(): string[] {
  const proxies = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [`${name}=${value}`];
  });
  return ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'LANG=C.UTF-8', 'DEBIAN_FRONTEND=noninteractive', ...proxies];
}

/** The PostgreSQL data folder inside the chroot. */
export const POSTGRES_DATA = '/srv/data';

export interface Debian {
  readonly root: string;
  /** A folder outside the chroot that is mounted over its data folder. */
  readonly data?: string;
}

/** A mount namespace of its own, so that no mount is left for a later `rm -r` to enter. */
const ENTER = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"';
const ENTER_WITH_DATA = `data="$1"; shift; mount --bind "$data" "$0${POSTGRES_DATA}" && ${ENTER}`;

export function runInside({ root, data }: Debian, program: readonly string[], log: string): Promise<void> {
  const enter = data === undefined ? [ENTER, root] : [ENTER_WITH_DATA, root, data];
  return run('unshare', ['--mount', 'sh', '-c', ...enter, 'env', '-i', ...environment(), ...program], log);
}

export function runAsPostgres(debian: Debian, program: readonly string[], log: string): Promise<void> {
  const user = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'];
  return runInside(debian, [...user, ...program], log);
}

export function debianRoot(home: Home): string {
  return `${home.documentdb}/debian`;
}

export function debianOf(home: Home): Debian {
  return { root: debianRoot(home), data: home.documentdbData };
}

/** The PostgreSQL data folder, as a path outside the chroot. */
export function dataFolder(home: Home): string {
  return home.documentdbData ?? `${debianRoot(home)}${POSTGRES_DATA}`;
}
