import { Module } from '@nestjs/common';
import { ConcurrencyLimits } from './concurrency-limits.service';
import { PhoneRates } from './phone-rates.service';

/** What one account or phone may have running, and ask, at most. */
@Module({ providers: [ConcurrencyLimits, PhoneRates], exports: [ConcurrencyLimits, PhoneRates] })
export class LimitsModule {}
