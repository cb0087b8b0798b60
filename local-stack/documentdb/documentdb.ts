import { type Progress } from '../progress';
import { type Home } from '../home';
import { type StackState } from '../state-file';
import { isFrontUp, startFrontProcess, stopFrontProcess } from './front-process';
import { installDocumentdb, makeOwnData } from './install';
import { runningPostgres, startPostgres, stopPostgres } from './postgres';

type RunningMongodb = NonNullable<StackState['mongodb']>;

/** Whether both PostgreSQL and the front of an earlier set-up are up, and belong together. */
export async function isDocumentdbUp(home: Home, known: RunningMongodb): Promise<boolean> {
  if (known.front === undefined) return false;
  const server = await runningPostgres(home);
  return server?.port === known.server.port && (await isFrontUp(home, known.front));
}

/**
 * Makes PostgreSQL with DocumentDB available behind the MongoDB front, as far as it is not already.
 * @throws Error that names the log of the step that failed.
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

/** Ends the front and PostgreSQL and returns the names of what was running. */
export async function stopDocumentdb(home: Home, known: RunningMongodb | undefined): Promise<string[]> {
  const front = await stopFrontProcess(home, known?.front);
  const postgres = await stopPostgres(home);
  return [...(front ? ['MongoDB front'] : []), ...(postgres ? ['PostgreSQL'] : [])];
}
