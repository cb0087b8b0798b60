import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { isRedisResponding } from './ping';
import { findOnPath, until } from './processes';
import { StackUnavailable } from './stack-unavailable';

const START_MS = 20_000;
const ANSWER_MS = 2_000;

/** Runs a program until it or the parent of the shell ends: then nobody holds the other end of the shell's input. */
const UNTIL_PARENT_ENDS = '"$@" >/dev/null 2>&1 & echo $!; read -r end; kill -9 $!; wait';

export interface TemporaryRedisOptions {
  readonly port: number;
  readonly folder: string;
  readonly password: string;
  /** Lines of its configuration. */
  readonly settings: readonly string[];
  readonly isSentinel?: boolean;
}

/** A Redis of a cluster, or of a group with sentinels. It ends with this process. */
export class TemporaryRedis {
  private running?: { readonly pid: number; readonly shell: ChildProcess };
  private isFrozen = false;

  constructor(private readonly options: TemporaryRedisOptions) {}

  get port(): number {
    return this.options.port;
  }

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  get isUp(): boolean {
    return this.running !== undefined && !this.isFrozen;
  }

  /** Starts it, the first time or after a kill. @throws StackUnavailable */
  async start(): Promise<void> {
    const program = findOnPath('redis-server', process.env.PATH);
    if (program === undefined) throw new StackUnavailable('No redis-server on the PATH');
    const { port, password, isSentinel } = this.options;
    const command = [program, this.writeConfiguration(), ...(isSentinel ? ['--sentinel'] : [])];
    const shell = spawn('/bin/sh', ['-c', UNTIL_PARENT_ENDS, 'sh', ...command], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const [pid] = (await once(shell.stdout, 'data')) as [Buffer];
    this.running = { pid: Number(pid.toString()), shell };
    if (await until(() => isRedisResponding(port, password), START_MS)) return;
    throw new StackUnavailable(`A temporary Redis does not start, see ${this.options.folder}/redis.log`);
  }

  /** Resolves when the process has ended. */
  async kill(): Promise<void> {
    const { running } = this;
    if (!running) return;
    this.running = undefined;
    this.isFrozen = false;
    const ended = once(running.shell, 'exit');
    process.kill(running.pid, 'SIGKILL');
    running.shell.stdin?.end();
    await ended;
  }

  /** Pauses the process: its connections stay open, and nothing is answered. */
  freeze(): void {
    if (!this.running) return;
    this.isFrozen = true;
    process.kill(this.running.pid, 'SIGSTOP');
  }

  thaw(): void {
    this.isFrozen = false;
    if (this.running) process.kill(this.running.pid, 'SIGCONT');
  }

  async killFor(milliseconds: number): Promise<void> {
    await this.kill();
    await pause(milliseconds);
    await this.start();
  }

  async freezeFor(milliseconds: number): Promise<void> {
    this.freeze();
    await pause(milliseconds);
    this.thaw();
  }

  /** Runs a command over a connection of its own. @throws Error also if it is not up. */
  async call(...[name, ...args]: readonly [string, ...(string | number)[]]): Promise<unknown> {
    const redis = new Redis({
      port: this.port,
      host: '127.0.0.1',
      password: this.options.password,
      lazyConnect: true,
      enableReadyCheck: false,
      retryStrategy: () => null,
    });
    redis.on('error', () => undefined);
    const deadline = setTimeout(() => {
      redis.disconnect();
    }, ANSWER_MS);
    try {
      return await redis.call(name, ...args);
    } finally {
      clearTimeout(deadline);
      redis.disconnect();
    }
  }

  /** Reads a field of an answer such as that of INFO. */
  async field(field: string, ...command: readonly [string, ...string[]]): Promise<string | undefined> {
    const text = await this.call(...command);
    return new RegExp(`^${field}:(\\S*)`, 'm').exec(String(text))?.[1];
  }

  private writeConfiguration(): string {
    const { folder, port, settings } = this.options;
    const file = join(folder, 'redis.conf');
    // A sentinel keeps its state in it.
    if (existsSync(file)) return file;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const lines = [
      'bind 127.0.0.1',
      `port ${port}`,
      `dir ${JSON.stringify(folder)}`,
      'logfile redis.log',
      ...settings,
      '',
    ];
    writeFileSync(file, lines.join('\n'), { mode: 0o600 });
    return file;
  }
}

/** The settings of a server without files, with a password. */
export const serverSettings = (password: string): string[] => [
  `requirepass ${password}`,
  `masterauth ${password}`,
  'appendonly no',
  'save ""',
  'maxmemory-policy noeviction',
  'repl-diskless-sync-delay 0',
  // A replica that synchronizes with a frozen server would wait a minute for it.
  'repl-timeout 5',
  'repl-ping-replica-period 1',
];
