import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { type Progress } from '../progress';
import { aptInstall } from '../apt';
import { type Home } from '../home';
import { findOnPath, run } from '../processes';
import { type Debian, debianRoot, POSTGRES_DATA, runAsPostgres, runInside } from './chroot';

/** The stable releases do not have the package yet. */
const RELEASE = 'sid';
const PACKAGE = 'postgresql-18-documentdb';

export const POSTGRES_BIN = '/usr/lib/postgresql/18/bin';

const DRAFT = 'debian.';

async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => name.startsWith(DRAFT));
  for (const draft of drafts) await rm(join(folder, draft), { recursive: true, force: true });
}

async function prepareForPackages(root: string): Promise<void> {
  await writeFile(join(root, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 }); // no services
  // A failed installation is removed, so dpkg need not sync each file.
  await writeFile(join(root, 'etc/dpkg/dpkg.cfg.d/local-stack'), 'force-unsafe-io\n');
}

/**
 * Installs PostgreSQL 18 with the DocumentDB extension into a chroot, with an empty database. A failed attempt
 * leaves only a draft, which the next one removes.
 * @throws Error that names the log of the failed step.
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
  await chmod(draft, 0o755); // the postgres user must enter it
  await progress.step(`Debian ${RELEASE} (debootstrap): installing into ${root}`, () =>
    run('debootstrap', ['--variant=minbase', RELEASE, draft], log),
  );
  await progress.step(`PostgreSQL 18 with DocumentDB: installing into ${root}`, async () => {
    await prepareForPackages(draft);
    // No `apt-get update`, which fails on mirrors with an expired Release file.
    const debian = { root: draft };
    await runInside(debian, ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', PACKAGE], log);
    await runInside(debian, ['apt-get', 'clean'], log);
    await makeDatabase(debian, log);
    await rename(draft, root);
  });
}

async function makeDatabase(debian: Debian, log: string): Promise<void> {
  await runInside(debian, ['install', '-d', '-o', 'postgres', '-g', 'postgres', POSTGRES_DATA], log);
  await runAsPostgres(
    debian,
    [`${POSTGRES_BIN}/initdb`, '-D', POSTGRES_DATA, '-A', 'peer', '-U', 'postgres'],
    log,
  );
}

/** Creates an empty database for a home that shares the installation of another. @throws Error that names the log. */
export async function makeOwnData(home: Home, progress: Progress): Promise<void> {
  const { documentdbData } = home;
  if (documentdbData === undefined || existsSync(documentdbData)) return;
  const log = join(home.logs, 'documentdb-install.log');
  await mkdir(dirname(documentdbData), { recursive: true });
  const data = `${documentdbData}.draft`;
  await rm(data, { recursive: true, force: true });
  await mkdir(data);
  await progress.step(`PostgreSQL: creating an empty database in ${documentdbData}`, async () => {
    await makeDatabase({ root: debianRoot(home), data }, log);
    await rename(data, documentdbData);
  });
}
