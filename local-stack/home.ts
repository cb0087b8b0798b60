import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder outside any checkout that holds the stack's data, and what stands where in it. */
export interface Home {
  readonly path: string;
  /** Short and unlike any other home's: processes carry it on their command line to be known by. */
  readonly processTag: string;
  readonly stateFile: string;
  readonly lockFile: string;
  /** The folder of what is installed: another home's where the two share it. */
  readonly programs: string;
  readonly mongodbData: string;
  readonly mongodDownloads: string;
  readonly downloadFailure: string;
  readonly documentdb: string;
  /** PostgreSQL's data where the installation is another home's, which has its own inside. */
  readonly documentdbData: string | undefined;
  readonly redisData: string;
  readonly logs: string;
}

/** A variable that is set to nothing counts as unset, as the XDG specification wants it. */
function filled(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/**
 * The stack's home: LOCAL_STACK_HOME, or `messaging-gateway` in the user's cache folder. With LOCAL_STACK_PROGRAMS it
 * uses what is installed in that other home, and keeps only data and processes of its own.
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
