import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { InFlightCounter } from './in-flight-counter';
import { TooManyConcurrentRequests } from './limit.errors';

/** Per address and process. */
export const MAX_CONCURRENT_ANONYMOUS_REQUESTS = 50;

/** Limits the unauthenticated requests that one address has in flight, such as bodies that are never completed. */
@Injectable()
export class AnonymousRequestLimiter {
  private readonly inFlight = new InFlightCounter();

  /** Counts a request until its response is closed. */
  acquire(address: string, response: ServerResponse): void {
    if (this.inFlight.countOf(address) >= MAX_CONCURRENT_ANONYMOUS_REQUESTS)
      throw new TooManyConcurrentRequests();
    response.once('close', this.inFlight.add(address));
  }
}
