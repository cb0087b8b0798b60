import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { TooManyConcurrentRequests } from '../auth.errors';

/** Per address and process. */
export const MAX_CONCURRENT_ANONYMOUS_REQUESTS = 50;

/** Limits the unauthenticated requests that one address has in flight, such as bodies that are never completed. */
@Injectable()
export class AnonymousRequestLimiter {
  private readonly inFlight = new Map<string, number>();

  /**
   * Counts a request until its response is closed.
   * @throws TooManyConcurrentRequests
   */
  acquire(address: string, response: ServerResponse): void {
    const count = (this.inFlight.get(address) ?? 0) + 1;
    if (count > MAX_CONCURRENT_ANONYMOUS_REQUESTS) throw new TooManyConcurrentRequests();
    this.inFlight.set(address, count);
    response.once('close', () => {
      this.release(address);
    });
  }

  private release(address: string): void {
    const count = (this.inFlight.get(address) ?? 0) - 1;
    if (count > 0) this.inFlight.set(address, count);
    else this.inFlight.delete(address);
  }
}
