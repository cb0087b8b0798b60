import { SetMetadata } from '@nestjs/common';

export const IS_RATE_EXEMPT = 'is-rate-exempt';

/** Exempts a route from the rate limit of API keys: phones retry a refused report without end, and a late report is useless. */
export const RateExempt = () => SetMetadata(IS_RATE_EXEMPT, true);
