import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { type Home } from './home';
import { stopProcess, isRunning, startDetached } from './processes';
import { parseProcess, type RunningProcess } from './state-file';

export interface Program {
  readonly name: 'proxy' | 'redis' | 'mongod';
  /** Part of the command line of a process on this port. */
  readonly processTag: (port: number) => string;
  readonly signal: NodeJS.Signals;
  readonly stopTimeoutMs: number;
}

const fileOf = (home: Home, name: Program['name']): string => join(home.path, `${name}.pid`);

/**
 * Records its own process id, which `exec` keeps, and becomes the program: a set-up that is killed meanwhile leaves no process
 * without a record.
 */
const RECORD_AND_RUN = `printf '{"pid":%d,"port":%d}' $$ "$2" >"$1.new" && mv "$1.new" "$1" && shift 2 && exec "$@"`;

/** Starts a program in the background. The next set-up finds it, whenever this one is killed. */
export async function startRecorded(
  home: Home,
  { name }: Program,
  port: number,
  command: readonly [string, ...string[]],
  log: string,
): Promise<RunningProcess> {
  const args = ['-c', RECORD_AND_RUN, 'sh', fileOf(home, name), String(port), ...command];
  return { pid: await startDetached('sh', args, log), port };
}

/** The processes of earlier set-ups: the one in the state file, and the last recorded one. */
export function earlierProcesses(
  home: Home,
  { name }: Program,
  known: RunningProcess | undefined,
): RunningProcess[] {
  return [known, recorded(home, name)].filter((earlier) => earlier !== undefined);
}

function recorded(home: Home, name: Program['name']): RunningProcess | undefined {
  try {
    return parseProcess(JSON.parse(readFileSync(fileOf(home, name), 'utf8')));
  } catch {
    return undefined; // missing or incomplete
  }
}

/** @returns false if nothing was running. */
export async function stopEarlier(
  home: Home,
  program: Program,
  known: RunningProcess | undefined,
): Promise<boolean> {
  let wasRunning = false;
  for (const { pid, port } of earlierProcesses(home, program, known)) {
    const processTag = program.processTag(port);
    if (!(await isRunning(pid, processTag))) continue;
    wasRunning = true;
    await stopProcess(pid, processTag, program.signal, program.stopTimeoutMs);
  }
  return wasRunning;
}
