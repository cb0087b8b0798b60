import { Inject, Injectable } from '@nestjs/common';
import type Redis from 'ioredis';
import { REDIS } from './redis-connection';
import { withinLimit } from './within-limit';

/** How long Redis is left alone after it did not answer. */
const HOLD_OFF_MS = 5_000;

/**
 * Redis for what can do without. Nobody waits for it longer than a second, and while it is silent nobody does: whatever
 * asks, over whichever connection, asks here, so that a request that needs Redis twice does not wait twice.
 */
@Injectable()
export class OptionalRedis {
  private heldOffUntil = 0;
  private isInDoubt = false;

  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** Defines a command of our own, run by its hash. */
  define(name: string, definition: { readonly numberOfKeys: number; readonly lua: string }): void {
    this.redis.defineCommand(name, definition);
  }

  /** @returns what Redis answers; undefined when it is away, or refuses. Never throws. */
  async ask<T>(question: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    if (performance.now() < this.heldOffUntil) return undefined;
    // The first to come after the hold-off finds out whether Redis is back; the others do not wait for that.
    if (this.isInDoubt) this.holdOff();
    // One that fails has cost no time, as where there is no connection: that alone keeps nobody from asking.
    const outcome = await withinLimit(
      question(this.redis).then(
        (answer) => ({ answer }),
        () => ({ answer: undefined }),
      ),
    );
    this.isInDoubt = outcome === undefined;
    if (this.isInDoubt) this.holdOff();
    else this.heldOffUntil = 0;
    return outcome?.answer;
  }

  private holdOff(): void {
    this.heldOffUntil = performance.now() + HOLD_OFF_MS;
  }
}
