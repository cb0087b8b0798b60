import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';

import { run } from './processes';

const LISTS = '/var/lib/apt/lists';
const POLICY = '/usr/sbin/policy-rc.d';
const QUIET = { DEBIAN_FRONTEND: 'noninteractive' };

function hasLists(): boolean {
  return existsSync(LISTS) && readdirSync(LISTS).some((name) => name.includes('Packages'));
}

/** Lets a package's service stay off while it is installed: what it starts would sit on the usual port. */
async function withoutServices(work: () => Promise<void>): Promise<void> {
  if (existsSync(POLICY)) {
    await work();
    return;
  }
  writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await work();
  } finally {
    rmSync(POLICY, { force: true });
  }
}

/** Installs a Debian package, its services left off; fetches the package lists where they are missing or old. */
export async function aptInstall(name: string, log: string): Promise<void> {
  const install = (): Promise<void> =>
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], log, QUIET);
  const update = (): Promise<void> => run('apt-get', ['update', '-qq'], log, QUIET);
  await withoutServices(async () => {
    if (hasLists()) {
      try {
        await install();
        return;
      } catch {
        // the lists name versions that are gone: fetch new ones and try once more
      }
    }
    await update();
    await install();
  });
}
