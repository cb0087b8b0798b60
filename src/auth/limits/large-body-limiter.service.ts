import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../account-scope';
import { ConcurrencyLimited } from './limit.errors';

/** Of an account and process: requests with large bodies that wait, without being read, for the one that is processed. */
const MAX_WAITING = 31;

export const MAX_LARGE_BODIES = 1 + MAX_WAITING;

/** A request that takes longer, such as a slow upload, lets the next one begin. */
export const MAX_LARGE_BODY_TURN_MS = 5_000;

/** Bounds the memory that the large bodies of an account take: they are processed one after the other. */
@Injectable()
export class LargeBodyLimiter {
  /** By account, while a request has its turn: those that wait for theirs. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /**
   * Waits until a request may read the rest of its body. Its turn ends when its response is closed.
   * @throws ConcurrencyLimited if too many wait.
   */
  async admit({ user }: AccountScope, response: ServerResponse): Promise<void> {
    const key = user.toHexString();
    const waiting = this.waiting.get(key);
    if (waiting && waiting.length >= MAX_WAITING)
      throw new ConcurrencyLimited('largeBodies', MAX_LARGE_BODIES);
    if (waiting) await new Promise<void>((resolve) => waiting.push(resolve));
    else this.waiting.set(key, []);
    let hasTurn = true;
    const endTurn = () => {
      clearTimeout(timer);
      if (hasTurn) this.startNext(key);
      hasTurn = false;
    };
    const timer = setTimeout(endTurn, MAX_LARGE_BODY_TURN_MS).unref();
    if (response.closed) endTurn();
    else response.once('close', endTurn);
  }

  private startNext(key: string): void {
    const next = this.waiting.get(key)?.shift();
    if (next) next();
    else this.waiting.delete(key);
  }
}
