import { Reflector } from '@nestjs/core';

export const IsRateExempt = Reflector.createDecorator<boolean | undefined>();

/** Exempts a route from the rate limit of API keys: phones retry a refused report without end, and a late report is useless. */
export const RateExempt = () => IsRateExempt(true);
