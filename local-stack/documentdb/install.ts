import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { type Progress } from '../progress';
import { aptInstall } from '../apt';
import { type Home } from '../home';
import { findOnPath, run } from '../processes';
import { type Debian, debianRoot, POSTGRES_DATA, runAsPostgres, runInside } from './chroot';

/** Debian's release that has the extension's package; its stable ones do not yet. */
const RELEASE = 'sid';
const PACKAGE = 'postgresql-18-documentdb';

/** Where PostgreSQL's programs are, inside. */
export const POSTGRES_BIN = '/usr/lib/postgresql/18/bin';

const DRAFT = 'debian.';

async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => name.startsWith(DRAFT));
  for (const draft of drafts) await rm(join(folder, draft), { recursive: true, force: true });
}

async function prepareForPackages(root: string): Promise<void> {
  await writeFile(join(root, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 }); // no service starts there
  // An installation that breaks off is thrown away whole: dpkg need not wait for the disk at each file.
  await writeFile(join(root, 'etc/dpkg/dpkg.cfg.d/local-stack'), 'force-unsafe-io\n');
}

/**
 * Installs PostgreSQL 18 with the DocumentDB extension into a Debian of its own and makes an empty database there.
 * Only a finished installation gets its final name; what an earlier attempt left half done is removed.
 * @throws Error that names the log of the step that failed.
 */
export async function installDocumentdb(home: Home, progress: Progress): Promise<void> {
  const root = debianRoot(home);
  if (existsSync(root)) return;
  const log = join(home.logs, 'documentdb-install.log');
  await mkdir(home.documentdb, { recursive: true });
  await removeDrafts(home.documentdb);
  if (findOnPath('debootstrap', process.env.PATH) === undefined) {
    await progress.step('debootstrap: installing with apt-get', () => aptInstall('debootstrap', log));
  }
  const draft = await mkdtemp(join(home.documentdb, DRAFT));
  await chmod(draft, 0o755); // mkdtemp's 700 would keep the postgres user out
  await progress.step(`Debian ${RELEASE} (debootstrap): installing into ${root}`, () =>
    run('debootstrap', ['--variant=minbase', RELEASE, draft], log),
  );
  await progress.step(`PostgreSQL 18 with DocumentDB: installing into ${root}`, async () => {
    await prepareForPackages(draft);
    // The package lists are debootstrap's own; an `apt-get update` can fail on a mirror whose Release has expired.
    const debian = { root: draft };
    await runInside(debian, ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', PACKAGE], log);
    await runInside(debian, ['apt-get', 'clean'], log);
    await makeDatabase(debian, log);
    await rename(draft, root);
  });
}

/** Makes an empty database at the place of the data. */
async function makeDatabase(debian: Debian, log: string): Promise<void> {
  await runInside(debian, ['install', '-d', '-o', 'postgres', '-g', 'postgres', POSTGRES_DATA], log);
  await runAsPostgres(
    debian,
    [`${POSTGRES_BIN}/initdb`, '-D', POSTGRES_DATA, '-A', 'peer', '-U', 'postgres'],
    log,
  );
}

/**
 * Makes an empty database for a home whose installation is another's, unless it has one.
 * @throws Error that names the log when it cannot be made.
 */
export async function makeOwnData(home: Home, progress: Progress): Promise<void> {
  const { documentdbData } = home;
  if (documentdbData === undefined || existsSync(documentdbData)) return;
  const log = join(home.logs, 'documentdb-install.log');
  await mkdir(dirname(documentdbData), { recursive: true });
  const data = `${documentdbData}.draft`;
  await rm(data, { recursive: true, force: true });
  await mkdir(data);
  await progress.step(`PostgreSQL: making an empty database in ${documentdbData}`, async () => {
    await makeDatabase({ root: debianRoot(home), data }, log);
    await rename(data, documentdbData);
  });
}
