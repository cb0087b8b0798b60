import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import type { AccountScope } from '../account-scope';
import { RateExempt } from '../guards/rate-exempt.decorator';
import { PhoneRateLimiter } from './phone-rate-limiter.service';

@Injectable()
export class PhoneRateGuard implements CanActivate {
  constructor(private readonly rateLimiter: PhoneRateLimiter) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { user, params } = context
      .switchToHttp()
      .getRequest<{ readonly user?: AccountScope; readonly params: { readonly id?: string } }>();
    if (user) await this.rateLimiter.count(user, params.id ?? '');
    return true;
  }
}

/** Counts a route by phone instead of by API key, so that other users of the key do not delay the reports of a phone. */
export const PhoneRoute = (): MethodDecorator => applyDecorators(RateExempt(), UseGuards(PhoneRateGuard));
