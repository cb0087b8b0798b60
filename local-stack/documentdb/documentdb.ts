import { type Progress } from '../progress';
import { type Home } from '../home';
import { type StackState } from '../state-file';
import { isFrontUp, startFrontProcess, stopFrontProcess } from './front-process';
import { installDocumentdb, makeOwnData } from './install';
import { runningPostgres, startPostgres, stopPostgres } from './postgres';

type RunningMongodb = NonNullable<StackState['mongodb']>;

export async function isDocumentdbUp(home: Home, known: RunningMongodb): Promise<boolean> {
  if (known.front === undefined) return false;
  const server = await runningPostgres(home);
  return server?.port === known.server.port && (await isFrontUp(home, known.front));
}

/**
 * Starts PostgreSQL with DocumentDB and the front, unless they run.
 * @throws Error that names the log of the failed step.
 */
export async function startDocumentdb(
  home: Home,
  known: RunningMongodb | undefined,
  progress: Progress,
): Promise<RunningMongodb> {
  await installDocumentdb(home, progress);
  await makeOwnData(home, progress);
  const server = await progress.step('PostgreSQL: starting', () => startPostgres(home, known?.server.port));
  const running = { source: 'documentdb', server, front: known?.front } as const;
  if (known?.server.port === server.port && (await isDocumentdbUp(home, running))) return running;
  const front = await progress.step('Front: starting', () =>
    startFrontProcess(home, known?.front, server.port),
  );
  return { source: 'documentdb', server, front };
}

/** Stops the front and PostgreSQL. @returns the names of those that were running. */
export async function stopDocumentdb(home: Home, known: RunningMongodb | undefined): Promise<string[]> {
  const front = await stopFrontProcess(home, known?.front);
  const postgres = await stopPostgres(home);
  return [...(front ? ['MongoDB front'] : []), ...(postgres ? ['PostgreSQL'] : [])];
}
