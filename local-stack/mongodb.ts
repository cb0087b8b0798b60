import { existsSync } from 'node:fs';

import { type Progress } from './progress';
import { type MachineFacts, mongodbSources, type MongodbSource } from './choose-mongodb';
import { isDocumentdbUp, startDocumentdb, stopDocumentdb } from './documentdb/documentdb';
import { type Home } from './home';
import { isMongodUp, startMongod, stopMongod } from './mongod';
import { downloadedMongod, downloadFailedAt, downloadMongod } from './mongod-download';
import { isDebian, isRoot } from './platform';
import { freePort } from './ports';
import { findOnPath } from './processes';
import { type StackState } from './state-file';
import { StackUnavailable } from './stack-unavailable';

export type RunningMongodb = NonNullable<StackState['mongodb']>;

const PREFERRED_PORT = 27717;

function dataSource(home: Home, known: RunningMongodb | undefined): MongodbSource | undefined {
  if (known !== undefined) return known.source;
  return existsSync(home.documentdbData ?? `${home.documentdb}/debian`) ? 'documentdb' : undefined;
}

function factsOf(home: Home, known: RunningMongodb | undefined): MachineFacts {
  return {
    mongodOnPath: findOnPath('mongod', process.env.PATH) !== undefined,
    mongodDownloaded: downloadedMongod(home) !== undefined,
    downloadFailedAt: downloadFailedAt(home),
    now: Date.now(),
    debian: isDebian(),
    root: isRoot(),
    dataSource: dataSource(home, known),
  };
}

export function clientPort(running: RunningMongodb): number {
  return running.proxy?.port ?? running.server.port;
}

async function isUp(home: Home, known: RunningMongodb): Promise<boolean> {
  return known.source === 'documentdb' ? isDocumentdbUp(home, known) : isMongodUp(home, known.server);
}

async function startFrom(
  source: MongodbSource,
  home: Home,
  known: RunningMongodb | undefined,
  progress: Progress,
): Promise<RunningMongodb> {
  if (source === 'documentdb') return startDocumentdb(home, known, progress);
  const present =
    source === 'mongod-on-path' ? findOnPath('mongod', process.env.PATH) : downloadedMongod(home);
  const program = present ?? (await progress.step('mongod: downloading', () => downloadMongod(home)));
  // It may be unresponsive, or have no password because an earlier version started it.
  await stopMongod(home, known?.server);
  const port = await freePort(known?.server.port, PREFERRED_PORT);
  const server = await progress.step(`${program}: starting on port ${port}`, () =>
    startMongod(home, program, port),
  );
  return { source, server };
}

/** @throws StackUnavailable if no source works on this computer, or the password of the data is lost. */
export async function startMongodb(
  home: Home,
  known: RunningMongodb | undefined,
  progress: Progress,
): Promise<RunningMongodb> {
  if (known !== undefined) {
    if (await isUp(home, known)) {
      progress.log(`is running on port ${clientPort(known)}`);
      return known;
    }
  }
  for (const source of mongodbSources(factsOf(home, known))) {
    try {
      return await startFrom(source, home, known, progress);
    } catch (error) {
      // Another source would start with an empty database.
      if (error instanceof StackUnavailable) throw error;
      progress.log(error instanceof Error ? error.message : String(error));
    }
  }
  throw new StackUnavailable(
    'No MongoDB: set MONGODB_URI, put mongod on the PATH, or run as root on Debian to install it.',
  );
}

/** @returns the names of the programs that were running. */
export async function stopMongodb(home: Home, known: RunningMongodb | undefined): Promise<string[]> {
  const ofDocumentdb = await stopDocumentdb(home, known);
  const server = known?.source === 'documentdb' ? undefined : known?.server;
  return (await stopMongod(home, server)) ? [...ofDocumentdb, 'mongod'] : ofDocumentdb;
}
