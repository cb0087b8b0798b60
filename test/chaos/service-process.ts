import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The build of this checkout. */
export const DIST = join(__dirname, '..', '..', 'dist');
const READY_LINE = 'Ready as';
const CHECK_INTERVAL_MS = 50;

/** How long a process may take to stop when it is asked to. */
const STOP_LIMIT_MS = 20_000;

export type ServiceRole = 'api' | 'worker' | 'scheduler';

export interface ServiceProcessOptions {
  readonly name: string;
  readonly role: ServiceRole;
  readonly environment: Readonly<Record<string, string>>;
  /** The build to run. */
  readonly dist: string;
  /** For Node, before the program. */
  readonly nodeArguments: readonly string[];
  /** Where the process runs: a folder without a `.env`. */
  readonly folder: string;
  /** Whether a process that began to start at this time may fail to: the database or Redis was away. */
  readonly mayFailToStart: (since: number) => boolean;
  readonly restartDelayMs: () => number;
  /** Told of what must not happen. */
  readonly onFault: (fault: string) => void;
}

/** One process of the service, started again whenever it ends, as by a supervisor. */
export class ServiceProcess {
  readonly stopTimesMs: number[] = [];
  starts = 0;
  private child: ChildProcess | undefined;
  private intended: NodeJS.Signals | undefined;
  private startedAt = 0;
  private logStart = 0;
  private isDone = false;

  constructor(private readonly options: ServiceProcessOptions) {}

  get name(): string {
    return this.options.name;
  }

  get role(): ServiceRole {
    return this.options.role;
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  get log(): string {
    return join(this.options.folder, `${this.name.replaceAll(' ', '-')}.log`);
  }

  start(): void {
    if (this.isDone || this.child) return;
    const { dist, environment, folder, nodeArguments, role } = this.options;
    const output = openSync(this.log, 'a');
    this.logStart = statSync(this.log).size;
    this.startedAt = Date.now();
    this.starts += 1;
    this.intended = undefined;
    const child = spawn(
      process.execPath,
      ['--enable-source-maps', ...nodeArguments, join(dist, 'main.js')],
      {
        stdio: ['ignore', output, output],
        cwd: folder,
        env: { PATH: process.env.PATH, ...environment, APP_ROLES: role },
      },
    );
    closeSync(output);
    this.child = child;
    child.once('exit', (code, signal) => {
      this.ended(code, signal);
    });
  }

  /** `kill -9`. @returns false when it was not running. */
  kill(): boolean {
    return this.signal('SIGKILL');
  }

  /** Asks it to stop, and kills it when it has not in time. @returns false when it was not running. */
  askToStop(): boolean {
    const { child } = this;
    if (!this.signal('SIGTERM')) return false;
    const asked = performance.now();
    const limit = setTimeout(() => {
      this.options.onFault(`${this.name} did not stop within ${STOP_LIMIT_MS / 1_000} s of SIGTERM`);
      child?.kill('SIGKILL');
    }, STOP_LIMIT_MS);
    child?.once('exit', () => {
      clearTimeout(limit);
      this.stopTimesMs.push(performance.now() - asked);
    });
    return true;
  }

  /** Stops it in its tracks, as a machine that stalls would, and lets it go on after a while. */
  freeze(milliseconds: number): void {
    const { child } = this;
    if (!child) return;
    child.kill('SIGSTOP');
    setTimeout(() => child.kill('SIGCONT'), milliseconds);
  }

  /** Ends it for good. */
  async retire(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.isDone = true;
    const { child } = this;
    if (!child) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    if (signal === 'SIGTERM') this.askToStop();
    else this.kill();
    await gone;
  }

  get isReady(): boolean {
    return this.child !== undefined && this.output().includes(READY_LINE);
  }

  /** @throws Error when it is not ready in time. */
  async untilReady(timeoutMs = 60_000): Promise<void> {
    const end = Date.now() + timeoutMs;
    while (!this.isReady) {
      if (Date.now() > end) throw new Error(`${this.name} is not ready: ${this.tail()}`);
      await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
    }
  }

  private signal(signal: NodeJS.Signals): boolean {
    if (!this.child) return false;
    this.intended = signal;
    // One that is frozen would not hear it.
    this.child.kill('SIGCONT');
    return this.child.kill(signal);
  }

  private ended(code: number | null, signal: NodeJS.Signals | null): void {
    const wasReady = this.output().includes(READY_LINE);
    const how = signal ?? `code ${String(code)}`;
    this.child = undefined;
    if (this.intended === undefined) {
      const isExcused = !wasReady && this.options.mayFailToStart(this.startedAt);
      if (!isExcused) this.options.onFault(`${this.name} ended by itself with ${how}: ${this.tail()}`);
    } else if (this.intended === 'SIGTERM' && wasReady && code !== 0 && signal !== 'SIGKILL') {
      this.options.onFault(`${this.name} was asked to stop and ended with ${how}: ${this.tail()}`);
    }
    if (this.isDone) return;
    setTimeout(() => {
      this.start();
    }, this.options.restartDelayMs());
  }

  /** What this start of the process has written. */
  private output(): string {
    return readFileSync(this.log, 'utf8').slice(this.logStart);
  }

  private tail(): string {
    return this.output().trimEnd().split('\n').slice(-12).join('\n');
  }
}
