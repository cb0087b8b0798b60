import { Module } from '@nestjs/common';
import { ConcurrencyLimiter } from './concurrency-limiter.service';
import { PhoneRateLimiter } from './phone-rate-limiter.service';

/** Concurrency limits of accounts and rate limits of phones. */
@Module({
  providers: [ConcurrencyLimiter, PhoneRateLimiter],
  exports: [ConcurrencyLimiter, PhoneRateLimiter],
})
export class LimitsModule {}
