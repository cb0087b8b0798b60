import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AccountScope } from '../account-scope';
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
