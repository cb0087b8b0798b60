import {
  applyDecorators,
  type CanActivate,
  type ExecutionContext,
  Injectable,
  UseGuards,
} from '@nestjs/common';
import type { AccountScope } from '../account-scope';
import { RateExempt } from '../rate-exempt';
import { PhoneRates } from './phone-rates.service';

@Injectable()
export class PhoneRateGuard implements CanActivate {
  constructor(private readonly rates: PhoneRates) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { user, params } = context
      .switchToHttp()
      .getRequest<{ readonly user?: AccountScope; readonly params: { readonly id?: string } }>();
    if (user) await this.rates.count(user, params.id ?? '');
    return true;
  }
}

/**
 * For what phones report and upload: it counts by phone and not by key, so that one phone's reports are not late because
 * another program uses the key.
 */
export const PhoneRoute = (): MethodDecorator => applyDecorators(RateExempt(), UseGuards(PhoneRateGuard));
