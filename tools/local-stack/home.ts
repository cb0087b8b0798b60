import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder outside any checkout that holds the stack's data, and what stands where in it. */
export interface Home {
  readonly path: string;
  /** Short and unlike any other home's: processes carry it on their command line to be known by. */
  readonly mark: string;
  readonly stateFile: string;
  readonly lockFile: string;
  readonly mongodbData: string;
  readonly mongodDownloads: string;
  readonly downloadFailure: string;
  readonly documentdb: string;
  readonly redisData: string;
  readonly logs: string;
}

/** A variable that is set to nothing counts as unset, as the XDG specification wants it. */
function filled(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/** The stack's home: LOCAL_STACK_HOME, or `messaging-gateway` in the user's cache folder. */
export function homeFrom(env: Readonly<Record<string, string | undefined>>): Home {
  const cache = filled(env.XDG_CACHE_HOME) ?? join(homedir(), '.cache');
  const path = resolve(filled(env.LOCAL_STACK_HOME) ?? join(cache, 'messaging-gateway'));
  return {
    path,
    mark: `local-stack-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`,
    stateFile: join(path, 'state.json'),
    lockFile: join(path, 'lock'),
    mongodbData: join(path, 'mongodb'),
    mongodDownloads: join(path, 'mongod'),
    downloadFailure: join(path, 'mongod-download-failed'),
    documentdb: join(path, 'documentdb'),
    redisData: join(path, 'redis'),
    logs: join(path, 'logs'),
  };
}
