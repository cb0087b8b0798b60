import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The paths in the folder with the data of the stack. */
export interface Home {
  readonly path: string;
  /** A unique text on the command line of the processes, to recognise them. */
  readonly processTag: string;
  readonly stateFile: string;
  readonly lockFile: string;
  /** The folder with installed programs, which homes can share. */
  readonly programs: string;
  readonly mongodbData: string;
  readonly mongodDownloads: string;
  readonly downloadFailure: string;
  readonly documentdb: string;
  /** The PostgreSQL data folder if the installation is shared. */
  readonly documentdbData: string | undefined;
  readonly redisData: string;
  readonly logs: string;
}

/** As in the XDG specification, an empty variable counts as unset. */
function filled(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/**
 * LOCAL_STACK_HOME, or `messaging-gateway` in the cache folder. With LOCAL_STACK_PROGRAMS, the programs of that
 * home.
 */
export function homeFrom(env: Readonly<Record<string, string | undefined>>): Home {
  const cache = filled(env.XDG_CACHE_HOME) ?? join(homedir(), '.cache');
  const path = resolve(filled(env.LOCAL_STACK_HOME) ?? join(cache, 'messaging-gateway'));
  const programs = resolve(filled(env.LOCAL_STACK_PROGRAMS) ?? path);
  return {
    path,
    processTag: `local-stack-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`,
    stateFile: join(path, 'state.json'),
    lockFile: join(path, 'lock'),
    mongodbData: join(path, 'mongodb'),
    programs,
    mongodDownloads: join(programs, 'mongod'),
    downloadFailure: join(programs, 'mongod-download-failed'),
    documentdb: join(programs, 'documentdb'),
    documentdbData: programs === path ? undefined : join(path, 'documentdb'),
    redisData: join(path, 'redis'),
    logs: join(path, 'logs'),
  };
}
