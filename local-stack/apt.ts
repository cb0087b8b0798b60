import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';

import { run } from './processes';

const LISTS = '/var/lib/apt/lists';
const POLICY = '/usr/sbin/policy-rc.d';
const QUIET = { DEBIAN_FRONTEND: 'noninteractive' };

/** Waits for another apt-get, such as that of a second checkout or of the machine's own updates. */
const WAITS_FOR_LOCK = ['-o', 'DPkg::Lock::Timeout=600'];

function hasLists(): boolean {
  return existsSync(LISTS) && readdirSync(LISTS).some((name) => name.includes('Packages'));
}

/** A service that a package starts would occupy the default port. */
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

/** Installs a Debian package without starting its services. */
export async function aptInstall(name: string, log: string): Promise<void> {
  const install = (): Promise<void> =>
    run('apt-get', [...WAITS_FOR_LOCK, 'install', '-y', '-qq', '--no-install-recommends', name], log, QUIET);
  const update = (): Promise<void> => run('apt-get', [...WAITS_FOR_LOCK, 'update', '-qq'], log, QUIET);
  await withoutServices(async () => {
    if (hasLists()) {
      try {
        await install();
        return;
      } catch {
        // The package lists are outdated.
      }
    }
    await update();
    await install();
  });
}
