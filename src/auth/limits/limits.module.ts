import { Module } from '@nestjs/common';
import { AnonymousRequestLimiter } from './anonymous-request-limiter.service';
import { AuthAttemptLimiter } from './auth-attempt-limiter.service';
import { ConcurrencyLimiter } from './concurrency-limiter.service';
import { PhoneRateLimiter } from './phone-rate-limiter.service';
import { RequestRateLimiter } from './request-rate-limiter.service';

const LIMITERS = [
  AnonymousRequestLimiter,
  AuthAttemptLimiter,
  ConcurrencyLimiter,
  PhoneRateLimiter,
  RequestRateLimiter,
];

/** Limits on the requests, sign-in attempts and concurrent operations of accounts, phones and addresses. */
@Module({ providers: LIMITERS, exports: LIMITERS })
export class LimitsModule {}
