import { Module } from '@nestjs/common';
import { AccountTurns } from './account-turns.service';
import { AnonymousRequestLimiter } from './anonymous-request-limiter.service';
import { AuthAttemptLimiter } from './auth-attempt-limiter.service';
import { ConcurrencyLimiter } from './concurrency-limiter.service';
import { LargeBodyLimiter } from './large-body-limiter.service';
import { PhoneRateLimiter } from './phone-rate-limiter.service';
import { PublicRequestLimiter } from './public-request-limiter.service';
import { RequestRateLimiter } from './request-rate-limiter.service';

const LIMITERS = [
  AccountTurns,
  AnonymousRequestLimiter,
  AuthAttemptLimiter,
  ConcurrencyLimiter,
  LargeBodyLimiter,
  PhoneRateLimiter,
  PublicRequestLimiter,
  RequestRateLimiter,
];

/** Limits on the requests, sign-in attempts and concurrent operations of accounts, phones and addresses. */
@Module({ providers: LIMITERS, exports: LIMITERS })
export class LimitsModule {}
