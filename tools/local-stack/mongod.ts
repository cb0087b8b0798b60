import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

import { type Home } from './home';
import { answersMongodb } from './ping';
import { endProcess, isRunning, startDetached, until } from './processes';
import { type RunningProcess } from './state-file';

const START_MS = 60_000;

/** Whether the mongod of an earlier set-up is up. */
export async function isMongodUp(home: Home, known: RunningProcess): Promise<boolean> {
  return (await isRunning(known.pid, home.mongodbData)) && (await answersMongodb(known.port));
}

/**
 * Starts a mongod on loopback, its data kept in the home.
 * @throws Error that names the log when it does not come up.
 */
export async function startMongod(home: Home, program: string, port: number): Promise<RunningProcess> {
  mkdirSync(home.mongodbData, { recursive: true });
  const log = join(home.logs, 'mongod.log');
  const args = ['--dbpath', home.mongodbData, '--port', String(port), '--bind_ip', '127.0.0.1'];
  const pid = await startDetached(program, args, log);
  const running = { pid, port };
  if (await until(() => answersMongodb(port), START_MS)) return running;
  await stopMongod(home, running);
  throw new Error(`${program} does not start; its log is ${log}.`);
}

/** Ends a mongod of ours; false when it was not running. */
export async function stopMongod(home: Home, known: RunningProcess): Promise<boolean> {
  if (!(await isRunning(known.pid, home.mongodbData))) return false;
  await endProcess(known.pid, home.mongodbData, 'SIGTERM', 20_000);
  return true;
}
