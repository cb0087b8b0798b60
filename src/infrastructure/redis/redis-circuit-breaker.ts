import { Inject, Injectable } from '@nestjs/common';
import type Redis from 'ioredis';
import { tryWithTimeout } from '../../common/try-with-timeout';
import { REDIS } from './redis-connection';

/** How long a command may take, in milliseconds. */
export const REDIS_TIMEOUT_MS = Symbol('Redis timeout');

const OPEN_MS = 5_000;

/**
 * Runs Redis commands that the caller can do without. A command that is not answered in time opens the circuit for all
 * callers: for five seconds no request waits for Redis, then one command tests it. A command that fails at once, as without a
 * connection, costs no time and does not open it.
 */
@Injectable()
export class RedisCircuitBreaker {
  private openUntil = 0;
  private needsTest = false;

  constructor(
    @Inject(REDIS) private readonly redis: Redis,
    @Inject(REDIS_TIMEOUT_MS) private readonly timeoutMs: number,
  ) {}

  /** Defines a Lua command, which ioredis runs by its hash. */
  defineCommand(name: string, definition: { readonly numberOfKeys: number; readonly lua: string }): void {
    this.redis.defineCommand(name, definition);
  }

  /** Whether Redis did not answer in time, and has not answered since. */
  get isOpen(): boolean {
    return this.needsTest;
  }

  /** @returns undefined when Redis fails, does not answer in time, or the circuit is open. Never throws. */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    if (performance.now() < this.openUntil) return undefined;
    // Callers during the test do not wait for Redis.
    if (this.needsTest) this.open();
    const settled = await tryWithTimeout(Promise.allSettled([this.runCommand(command)]), this.timeoutMs);
    const hasTimedOut = settled === undefined;
    this.needsTest = hasTimedOut;
    if (hasTimedOut) this.open();
    else this.openUntil = 0;
    const [outcome] = settled ?? [];
    return outcome?.status === 'fulfilled' ? outcome.value : undefined;
  }

  /** Rejects if the command throws. */
  private async runCommand<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    return command(this.redis);
  }

  private open(): void {
    this.openUntil = performance.now() + OPEN_MS;
  }
}
