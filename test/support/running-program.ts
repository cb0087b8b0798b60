import { spawn } from 'node:child_process';
import { eventually } from './eventually';

/** How long a program may take until it says what is waited for: it may build first. */
const SAYS_WITHIN_MS = 280_000;

/** A program that goes on running, and what it has said so far. */
export class RunningProgram {
  private said = '';
  private hasEnded = false;

  private constructor(
    private readonly group: number,
    private readonly ended: Promise<unknown>,
  ) {}

  /** @param environment all it sees of the environment, but for the PATH. */
  static start(command: string, directory: string, environment: object): RunningProgram {
    const { PATH } = process.env;
    // A group of its own: a signal then reaches everything it has started, as Ctrl-C does.
    const options = { cwd: directory, env: { PATH, ...environment }, detached: true } as const;
    const child = spawn('bash', ['-c', command], options);
    if (child.pid === undefined) throw new Error(`It did not start: ${command}`);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const program = new RunningProgram(child.pid, ended);
    void ended.then(() => (program.hasEnded = true));
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (program.said += chunk.toString()));
    }
    return program;
  }

  /** All it has said, in the order it came. */
  get output(): string {
    return this.said;
  }

  get isRunning(): boolean {
    return !this.hasEnded;
  }

  /** Waits until it has said this. @throws Error if it ends without, or is not so far in time. */
  async says(text: RegExp): Promise<void> {
    const isDecided = () => this.hasEnded || text.test(this.said);
    await eventually(isDecided, Boolean, SAYS_WITHIN_MS).catch(() => undefined); // what is missing is told here
    if (!text.test(this.said)) throw new Error(`It has not said ${String(text)}:\n${this.said}`);
  }

  /** As Ctrl-C does. Resolves when it has ended. */
  async stop(): Promise<void> {
    if (!this.hasEnded) process.kill(-this.group, 'SIGINT');
    await this.ended;
  }
}
