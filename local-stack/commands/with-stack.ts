import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { StackUnavailable, startLocalStack } from '../index';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** A terminal sends Ctrl-C to the whole process group, so the command has received it already. */
function isSentByTerminal(signal: NodeJS.Signals): boolean {
  return signal === 'SIGINT' && process.stdin.isTTY;
}

/** Runs a program and returns the exit code that a shell would return. */
function runCommand(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'inherit', env });
    const forward = (signal: NodeJS.Signals): void => {
      if (!isSentByTerminal(signal)) child.kill(signal);
    };
    for (const signal of FORWARDED) process.on(signal, forward);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const name of FORWARDED) process.off(name, forward);
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/** Starts the stack, then runs a command with MONGODB_URI and REDIS_URL set: `with-stack.ts <command…>`. */
async function main(): Promise<number> {
  const [program, ...args] = process.argv.slice(2);
  if (program === undefined) throw new StackUnavailable('Usage: with-stack <command…>');
  const { mongodbUri, redisUrl } = await startLocalStack();
  const path = [join(__dirname, '..', '..', 'node_modules', '.bin'), process.env.PATH ?? ''].join(delimiter);
  return runCommand(program, args, {
    ...process.env,
    PATH: path,
    MONGODB_URI: mongodbUri,
    REDIS_URL: redisUrl,
  });
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof StackUnavailable ? error.message : error);
    process.exitCode = 1;
  },
);
