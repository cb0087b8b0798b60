import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { TooManyConcurrentRequests } from './auth.errors';

/**
 * Requests of one address without an account that one process works on at the same time. Many phones share the address of
 * their carrier, so requests with an account do not count.
 */
export const MAX_ANONYMOUS_IN_FLIGHT = 50;

/** Limits what one address has under way without an account, such as bodies that never end. */
@Injectable()
export class AnonymousRequests {
  private readonly inFlight = new Map<string, number>();

  /**
   * Counts a request until its response has ended.
   * @throws TooManyConcurrentRequests
   */
  enter(address: string, response: ServerResponse): void {
    const count = (this.inFlight.get(address) ?? 0) + 1;
    if (count > MAX_ANONYMOUS_IN_FLIGHT) throw new TooManyConcurrentRequests();
    this.inFlight.set(address, count);
    response.once('close', () => {
      this.leave(address);
    });
  }

  private leave(address: string): void {
    const count = (this.inFlight.get(address) ?? 0) - 1;
    if (count > 0) this.inFlight.set(address, count);
    else this.inFlight.delete(address);
  }
}
