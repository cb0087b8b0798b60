import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The build of this checkout. */
export const DIST = join(__dirname, '..', '..', 'dist');
const READY_LINE = 'Ready as';
/** Written by maintenance-kill-preload.cjs. */
const STEP_KILL_LINE = 'Chaos: killed';
const CHECK_INTERVAL_MS = 50;

/** The maximum time from SIGTERM to the exit. */
const STOP_TIMEOUT_MS = 20_000;

/** The role of a process; `all` is one that does everything. */
export type ServiceRole = 'api' | 'worker' | 'scheduler' | 'all';

export interface ServiceProcessOptions {
  readonly name: string;
  readonly role: ServiceRole;
  readonly environment: Readonly<Record<string, string>>;
  /** The build to run. */
  readonly dist: string;
  /** The build of its first start, if it is another one. */
  readonly firstDist?: string;
  /** Node options. */
  readonly nodeArguments: readonly string[];
  /** The working directory, which has no `.env`. */
  readonly folder: string;
  /** Whether a process started at this time may fail because the database or Redis was down. */
  readonly mayFailToStart: (since: number) => boolean;
  readonly restartDelayMs: () => number;
  readonly onError: (error: string) => void;
}

/** One process of the service, which is restarted whenever it exits. */
export class ServiceProcess {
  readonly stopTimesMs: number[] = [];
  starts = 0;
  /** How often it was killed between steps of maintenance. */
  stepKills = 0;
  private child: ChildProcess | undefined;
  private intendedSignal: NodeJS.Signals | undefined;
  private startedAt = 0;
  /** In bytes. */
  private logStart = 0;
  private isRetired = false;

  constructor(private readonly options: ServiceProcessOptions) {}

  get name(): string {
    return this.options.name;
  }

  get role(): ServiceRole {
    return this.options.role;
  }

  /** Undefined while it is not running. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  get logFile(): string {
    return join(this.options.folder, `${this.name.replaceAll(' ', '-')}.log`);
  }

  start(): void {
    if (this.isRetired || this.child) return;
    const { environment, folder, nodeArguments, role } = this.options;
    const output = openSync(this.logFile, 'a');
    this.logStart = statSync(this.logFile).size;
    this.startedAt = Date.now();
    this.starts += 1;
    const dist = (this.starts === 1 ? this.options.firstDist : undefined) ?? this.options.dist;
    this.intendedSignal = undefined;
    const child = spawn(process.execPath, ['--enable-source-maps', ...nodeArguments, join(dist, 'main.js')], {
      stdio: ['ignore', output, output],
      cwd: folder,
      env: { PATH: process.env.PATH, ...environment, ...(role !== 'all' && { APP_ROLES: role }) },
    });
    closeSync(output);
    this.child = child;
    child.once('exit', (code, signal) => {
      this.handleExit(code, signal);
    });
  }

  /** Sends SIGKILL. @returns false if it was not running. */
  kill(): boolean {
    return this.signal('SIGKILL');
  }

  /** Sends SIGTERM, and SIGKILL after a timeout. @returns false if it was not running. */
  terminate(): boolean {
    const { child } = this;
    if (!this.signal('SIGTERM')) return false;
    const requestedAt = performance.now();
    const limit = setTimeout(() => {
      this.options.onError(`${this.name} did not stop within ${STOP_TIMEOUT_MS / 1_000} s of SIGTERM`);
      child?.kill('SIGKILL');
    }, STOP_TIMEOUT_MS);
    child?.once('exit', () => {
      clearTimeout(limit);
      this.stopTimesMs.push(performance.now() - requestedAt);
    });
    return true;
  }

  /** Pauses the process with SIGSTOP, unless it was asked to stop: that has a time limit. */
  freeze(milliseconds: number): void {
    const { child } = this;
    if (!child || this.intendedSignal === 'SIGTERM') return;
    child.kill('SIGSTOP');
    setTimeout(() => child.kill('SIGCONT'), milliseconds);
  }

  /** Stops the process without a restart. */
  async stopPermanently(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.isRetired = true;
    const { child } = this;
    if (!child) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    if (signal === 'SIGTERM') this.terminate();
    else this.kill();
    await exited;
  }

  get isReady(): boolean {
    return this.child !== undefined && this.output().includes(READY_LINE);
  }

  /** @throws Error if it is not ready in time. */
  async waitUntilReady(timeoutMs = 240_000): Promise<void> {
    const end = Date.now() + timeoutMs;
    while (!this.isReady) {
      if (Date.now() > end) throw new Error(`${this.name} is not ready: ${this.tail()}`);
      await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
    }
  }

  private signal(signal: NodeJS.Signals): boolean {
    if (!this.child) return false;
    this.intendedSignal = signal;
    // A frozen process would not handle it.
    this.child.kill('SIGCONT');
    return this.child.kill(signal);
  }

  private handleExit(code: number | null, signal: NodeJS.Signals | null): void {
    const wasReady = this.output().includes(READY_LINE);
    const reason = signal ?? `code ${String(code)}`;
    this.child = undefined;
    const isStepKill = signal === 'SIGKILL' && this.output().includes(STEP_KILL_LINE);
    if (isStepKill) this.stepKills += 1;
    else if (this.intendedSignal === undefined) {
      const isExpected = !wasReady && this.options.mayFailToStart(this.startedAt);
      if (!isExpected)
        this.options.onError(`${this.name} exited unexpectedly with ${reason}: ${this.tail()}`);
    } else if (this.intendedSignal === 'SIGTERM' && wasReady && code !== 0 && signal !== 'SIGKILL') {
      this.options.onError(`${this.name} exited after SIGTERM with ${reason}: ${this.tail()}`);
    }
    if (this.isRetired) return;
    setTimeout(() => {
      this.start();
    }, this.options.restartDelayMs());
  }

  /** The log since the last start. */
  private output(): string {
    return readFileSync(this.logFile).subarray(this.logStart).toString();
  }

  private tail(): string {
    return this.output().trimEnd().split('\n').slice(-12).join('\n');
  }
}
