import { existsSync } from 'node:fs';
import { findOrInstall } from './find-or-install';

const MISSING =
  'The tests of the modem need gammu-smsd and its SQLite driver: apt-get install gammu-smsd libdbd-sqlite3';

/** The daemon of GSM modems, for tests. Installed on Debian, as root, if it is missing. @throws StackUnavailable */
export async function installGammu(): Promise<void> {
  const find = (file: string) => () => (existsSync(file) ? file : undefined);
  await findOrInstall({
    label: 'Gammu',
    package: 'gammu-smsd',
    missing: MISSING,
    find: find('/usr/bin/gammu-smsd'),
  });
  await findOrInstall({
    label: 'SQLite-driver',
    package: 'libdbd-sqlite3',
    missing: MISSING,
    find: () =>
      ['x86_64', 'aarch64']
        .map((machine) => find(`/usr/lib/${machine}-linux-gnu/dbd/libdbdsqlite3.so`)())
        .find(Boolean),
  });
}
