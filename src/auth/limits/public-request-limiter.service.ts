import { Injectable } from '@nestjs/common';
import { HttpConfig } from '../../config/sections/http.config';
import { type RateLimiter, RateLimiterFactory } from '../../infrastructure/redis/rate-limiter';
import { RateLimited } from './limit.errors';

const WINDOW_S = 60;

/** The first visit of the dashboard loads about 60 files, and the people of an office share an address. */
const FILES_FACTOR = 10;

/** 50 a second. An orchestrator or a load balancer asks each process every few seconds. */
const MAX_PROBES = 3_000;

/**
 * Limits what an address requests without a credential outside the API: pages, files, documents and unknown paths, and apart
 * from them health checks, so that no visitor makes a process look ill. Each process counts alone, because the answers come
 * from its memory: health checks must work without Redis, and a round trip would cost more than the answer.
 */
@Injectable()
export class PublicRequestLimiter {
  private readonly maxFiles: number;
  private readonly files: RateLimiter;
  private readonly probes: RateLimiter;

  constructor({ rateLimitPerAddress }: HttpConfig, limits: RateLimiterFactory) {
    this.maxFiles = rateLimitPerAddress * FILES_FACTOR;
    this.files = limits.createLocal({ scope: 'rates:files', max: this.maxFiles, windowS: WINDOW_S });
    this.probes = limits.createLocal({ scope: 'rates:probes', max: MAX_PROBES, windowS: WINDOW_S });
  }

  /** Counts a request to a page, a file, a document or an unknown path. @throws RateLimited */
  async countFile(address: string): Promise<void> {
    if (this.maxFiles > 0) await count(this.files, address, this.maxFiles);
  }

  /** Counts a request to a health check or the metrics. @throws RateLimited */
  countProbe(address: string): Promise<void> {
    return count(this.probes, address, MAX_PROBES);
  }
}

async function count(limit: RateLimiter, address: string, max: number): Promise<void> {
  const { isExceeded, msLeft } = await limit.consume(address);
  if (isExceeded) throw new RateLimited('from this address', max, performance.now() + msLeft);
}
