import { spawn } from 'node:child_process';
import { eventually } from './eventually';

/** The timeout includes a build. */
const OUTPUT_TIMEOUT_MS = 500_000;

/** A program in the background and its output. */
export class RunningProgram {
  private captured = '';
  private hasExited = false;

  private constructor(
    private readonly group: number,
    private readonly exited: Promise<unknown>,
  ) {}

  /** @param environment its variables, in addition to PATH. */
  static start(command: string, directory: string, environment: object): RunningProgram {
    const { PATH } = process.env;
    // In its own process group, so that a signal reaches its children, like Ctrl-C.
    const options = { cwd: directory, env: { PATH, ...environment }, detached: true } as const;
    const child = spawn('bash', ['-c', command], options);
    if (child.pid === undefined) throw new Error(`Failed to start: ${command}`);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const program = new RunningProgram(child.pid, ended);
    void ended.then(() => (program.hasExited = true));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (program.captured += chunk.toString()));
    }
    return program;
  }

  /** Standard output and standard error so far. */
  get output(): string {
    return this.captured;
  }

  get isRunning(): boolean {
    return !this.hasExited;
  }

  /** Waits for a text. @throws Error if the program exits first or the timeout expires. */
  async waitForOutput(text: RegExp): Promise<void> {
    const isDone = () => this.hasExited || text.test(this.captured);
    await eventually(isDone, Boolean, OUTPUT_TIMEOUT_MS).catch(() => undefined);
    if (!text.test(this.captured))
      throw new Error(`The output does not match ${String(text)}:\n${this.captured}`);
  }

  /** Sends SIGINT, like Ctrl-C, or another signal, and waits for the exit. */
  async stop(signal: 'SIGINT' | 'SIGKILL' = 'SIGINT'): Promise<void> {
    if (!this.hasExited) process.kill(-this.group, signal);
    await this.exited;
  }
}
