import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { AuthenticatedAccount } from '../account-scope';
import { PhoneRateLimiter } from '../limits/phone-rate-limiter.service';

@Injectable()
export class PhoneRateGuard implements CanActivate {
  constructor(private readonly rateLimiter: PhoneRateLimiter) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { user, params } = context
      .switchToHttp()
      .getRequest<{ readonly user?: AuthenticatedAccount; readonly params: { readonly id?: string } }>();
    const tokenDevice = user?.credential.kind === 'device-token' ? user.credential.id.toHexString() : '';
    if (user) await this.rateLimiter.count(user, params.id ?? tokenDevice);
    return true;
  }
}
