import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const POLL_MS = 50;

/** The path of a program on the PATH. */
export function findOnPath(program: string, path: string | undefined): string | undefined {
  const folders = (path ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders
    .map((folder) => join(folder, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Runs a program with its output in a log file. @throws Error that names the log. */
export async function run(
  program: string,
  args: readonly string[],
  log: string,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  mkdirSync(dirname(log), { recursive: true });
  const output = openSync(log, 'a');
  try {
    await new Promise<void>((resolve, reject) => {
      const child = spawn(program, args, {
        stdio: ['ignore', output, output],
        env: { ...process.env, ...env },
      });
      child.once('error', (error) => {
        reject(new Error(`${program} could not be started: ${error.message}`));
      });
      child.once('exit', (code, signal) => {
        if (code === 0) resolve();
        else reject(new Error(`${program} exited with ${signal ?? String(code)}; see ${log}`));
      });
    });
  } finally {
    closeSync(output);
  }
}

/** Starts a program in the background with its output in a log file. @returns its pid. */
export function startDetached(program: string, args: readonly string[], log: string): Promise<number> {
  mkdirSync(dirname(log), { recursive: true });
  const output = openSync(log, 'a');
  return new Promise<number>((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', output, output], detached: true, cwd: '/' });
    child.once('error', (error) => {
      reject(new Error(`${program} could not be started: ${error.message}`));
    });
    child.once('spawn', () => {
      child.unref();
      if (child.pid === undefined) reject(new Error(`${program} has no process id.`));
      else resolve(child.pid);
    });
  }).finally(() => {
    closeSync(output);
  });
}

async function commandLine(pid: number): Promise<string> {
  if (existsSync('/proc/self/cmdline'))
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'command=']);
  return stdout;
}

/** @param text part of the command line, because pids are reused. */
export async function isRunning(pid: number, text: string): Promise<boolean> {
  try {
    return (await commandLine(pid)).includes(text);
  } catch {
    return false;
  }
}

/** Waits for a condition. @returns false after the timeout. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  milliseconds: number,
): Promise<boolean> {
  const end = performance.now() + milliseconds;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() > end) return false;
    await pause(POLL_MS);
  }
}

/** Stops a process, with SIGKILL after the timeout. */
export async function stopProcess(
  pid: number,
  text: string,
  signal: NodeJS.Signals,
  milliseconds: number,
): Promise<void> {
  for (const next of [signal, 'SIGKILL'] as const) {
    if (!(await isRunning(pid, text))) return;
    try {
      process.kill(pid, next);
    } catch {
      return; // it has exited meanwhile
    }
    if (await until(async () => !(await isRunning(pid, text)), milliseconds)) return;
  }
}
