import { execFile, spawnSync } from 'node:child_process';

/** The exit code and output of a program. */
export interface ProgramResult {
  readonly code: number;
  readonly output: string;
  readonly error: string;
}

/** Runs a program until it exits. @param options.environment its variables, in addition to PATH and HOME. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { environment?: object; directory?: string; input?: string } = {},
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const { PATH, HOME } = process.env;
    const child = execFile(
      program,
      args,
      { env: { PATH, HOME, ...options.environment }, cwd: options.directory },
      (_failure, output, error) => {
        resolve({ code: child.exitCode ?? -1, output, error });
      },
    );
    child.stdin?.on('error', () => undefined); // the program may not read all input
    child.stdin?.end(options.input ?? '');
  });
}

/** Whether a program is on the PATH in at least this version. */
export function isInstalled(
  program: string,
  versionArgument: string,
  [major, minor]: readonly [number, number],
): boolean {
  const { stdout, status } = spawnSync(program, [versionArgument], { encoding: 'utf8' });
  const version = status === 0 ? /(\d+)\.(\d+)/.exec(stdout) : null;
  if (!version) return false;
  const [installedMajor, installedMinor] = [Number(version[1]), Number(version[2])];
  return installedMajor > major || (installedMajor === major && installedMinor >= minor);
}
