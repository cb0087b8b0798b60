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

/** /proc is mounted in a mount namespace of its own: no mount is left behind for a later `rm -r` to walk into. */
const ENTER = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"';

/** Runs a program inside a Debian folder, as root, to its end. */
export function runInside(root: string, program: readonly string[], log: string): Promise<void> {
  return run('unshare', ['--mount', 'sh', '-c', ENTER, root, 'env', '-i', ...environment(), ...program], log);
}

/** Runs a program inside a Debian folder as its user `postgres`. */
export function runAsPostgres(root: string, program: readonly string[], log: string): Promise<void> {
  const user = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'];
  return runInside(root, [...user, ...program], log);
}

/** The folder with Debian, PostgreSQL and its data. */
export function debianRoot(home: Home): string {
  return `${home.documentdb}/debian`;
}
