import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { finalize, type Observable } from 'rxjs';
import type { AuthenticatedAccount } from '../account-scope';
import { AccountTurns } from '../limits/account-turns.service';
import { isConcurrencyLimited } from './concurrency.interceptor';
import { IsRateExempt, TakesNoTurn } from './route-access.decorators';

/**
 * Has the requests of an account take turns, but those of its phones and those that send. `ConcurrencyInterceptor` does it for the
 * routes that it limits, after it has refused what is too much.
 */
@Injectable()
export class AccountTurnsInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly turns: AccountTurns,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { user } = context.switchToHttp().getRequest<{ readonly user?: AuthenticatedAccount }>();
    const handler = context.getHandler();
    if (!user) return next.handle();
    this.turns.noteActive(user);
    const takesNone = [TakesNoTurn, IsRateExempt].some((each) => this.reflector.get(each, handler));
    if (takesNone || isConcurrencyLimited(this.reflector, handler)) return next.handle();
    const end = await this.turns.begin(user);
    return next.handle().pipe(finalize(end));
  }
}
