import { Inject, Injectable } from '@nestjs/common';
import type Redis from 'ioredis';
import { REDIS } from './redis.module';
import { withinLimit } from './within-limit';

/** How long Redis is left alone after it did not answer. */
const HOLD_OFF_MS = 5_000;

/** Redis for what a request can do without: nobody waits for it longer than a second, and while it is away nobody does. */
@Injectable()
export class OptionalRedis {
  private heldOffUntil = 0;
  private isInDoubt = false;

  constructor(@Inject(REDIS) private readonly redis: Redis) {}

  /** @returns what Redis answers; undefined when it is away. Never throws. */
  async ask<T>(question: (redis: Redis) => Promise<T>): Promise<T | undefined> {
    if (performance.now() < this.heldOffUntil) return undefined;
    // The first to come after the hold-off finds out whether Redis is back; the others do not wait for that.
    if (this.isInDoubt) this.heldOffUntil = performance.now() + HOLD_OFF_MS;
    const answer = await withinLimit(question(this.redis));
    this.isInDoubt = answer === undefined;
    this.heldOffUntil = this.isInDoubt ? performance.now() + HOLD_OFF_MS : 0;
    return answer;
  }
}
