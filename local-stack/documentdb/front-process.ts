import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { MONGODB_USER, mongodbPasswordFile } from '../credentials';
import { type Home } from '../home';
import { answersMongodb } from '../ping';
import { freePort } from '../ports';
import { stopProcess, isRunning, until } from '../processes';
import { stopEarlier, type Program, startRecorded } from '../recorded-process';
import { type StackState } from '../state-file';
import { typescriptProgram } from '../typescript-program';
import { dataFolder } from './chroot';

export type RunningFront = NonNullable<NonNullable<StackState['mongodb']>['front']>;

const FOLDER = join(__dirname, 'front');
const PREFERRED_PORT = 27717;
const START_MS = 20_000;

const frontOf = (home: Home): Program => ({
  name: 'front',
  processTag: () => home.processTag,
  signal: 'SIGTERM',
  stopTimeoutMs: 5_000,
});

/** A hash of the sources: a changed front is restarted. */
function frontProgram(): string {
  const hash = createHash('sha256');
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'));
  for (const name of files.sort()) hash.update(name).update(readFileSync(join(FOLDER, name)));
  return hash.digest('hex').slice(0, 16);
}

/** Whether the recorded front runs the current sources and reaches PostgreSQL. */
export async function isFrontUp(home: Home, known: RunningFront): Promise<boolean> {
  if (known.program !== frontProgram()) return false;
  return (await isRunning(known.pid, home.processTag)) && (await answersMongodb(known.port));
}

/**
 * Starts the front as a background process and stops an older one.
 * @throws Error that names the log if it does not respond.
 */
export async function startFrontProcess(
  home: Home,
  known: RunningFront | undefined,
  postgresPort: number,
): Promise<RunningFront> {
  await stopFrontProcess(home, known);
  const port = await freePort(known?.port, PREFERRED_PORT);
  const log = join(home.logs, 'front.log');
  const [program, ...args] = typescriptProgram(join(FOLDER, 'main.ts'));
  const postgres = [dataFolder(home), String(postgresPort)];
  const own = [String(port), ...postgres, MONGODB_USER, mongodbPasswordFile(home), home.processTag];
  const running = await startRecorded(home, frontOf(home), port, [program, ...args, ...own], log);
  if (await until(() => answersMongodb(port), START_MS)) return { ...running, program: frontProgram() };
  await stopProcess(running.pid, home.processTag, 'SIGKILL', 2000);
  throw new Error(`The MongoDB front does not respond; its log is ${log}.`);
}

/** @returns false if it was not running. */
export function stopFrontProcess(home: Home, known: RunningFront | undefined): Promise<boolean> {
  return stopEarlier(home, frontOf(home), known);
}
