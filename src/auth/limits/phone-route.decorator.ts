import { applyDecorators, UseGuards } from '@nestjs/common';
import { RateExempt } from '../guards/route-access.decorators';
import { PhoneRateGuard } from './phone-rate.guard';

/** Counts a route by phone instead of by API key, so that other users of the key do not delay the reports of a phone. */
export const PhoneRoute = (): MethodDecorator => applyDecorators(RateExempt(), UseGuards(PhoneRateGuard));
