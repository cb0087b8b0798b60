import { execFile, spawnSync } from 'node:child_process';

/** How a program ended. */
export interface Ended {
  readonly code: number;
  readonly output: string;
  readonly error: string;
}

/** Runs a program to its end. @param options.environment all it sees of the environment. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { environment?: object; directory?: string; input?: string } = {},
): Promise<Ended> {
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
    child.stdin?.on('error', () => undefined); // it need not read to the end
    child.stdin?.end(options.input ?? '');
  });
}

/** Whether a program is on the PATH, in this version or a later one. @param ask the argument that makes it tell. */
export function isInstalled(
  program: string,
  ask: string,
  [major, minor]: readonly [number, number],
): boolean {
  const { stdout, status } = spawnSync(program, [ask], { encoding: 'utf8' });
  const version = status === 0 ? /(\d+)\.(\d+)/.exec(stdout) : null;
  if (!version) return false;
  const [own, ownMinor] = [Number(version[1]), Number(version[2])];
  return own > major || (own === major && ownMinor >= minor);
}
