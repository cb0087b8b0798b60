import type { IncomingHttpHeaders } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { finalize, type Observable } from 'rxjs';
import type { AuthenticatedAccount } from '../account-scope';
import { AccountTurns } from '../limits/account-turns.service';
import { isConcurrencyLimited } from './concurrency.interceptor';
import { IsRateExempt, TakesNoTurn } from './route-access.decorators';

/** A send of about 2,000 recipients. */
const LARGE_BODY_BYTES = 32_768;

interface TurnRequest {
  readonly user?: AuthenticatedAccount;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Has the requests of an account take turns, but those of its phones and small sends. `ConcurrencyInterceptor` does it for the
 * routes that it limits, after it has refused what is too much.
 */
@Injectable()
export class AccountTurnsInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly turns: AccountTurns,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const { user, headers } = context.switchToHttp().getRequest<TurnRequest>();
    if (!user) return next.handle();
    this.turns.noteActive(user);
    if (!this.takesTurn(context.getHandler(), headers)) return next.handle();
    const end = await this.turns.begin(user);
    return next.handle().pipe(finalize(end));
  }

  private takesTurn(
    handler: ReturnType<ExecutionContext['getHandler']>,
    headers: IncomingHttpHeaders,
  ): boolean {
    if (this.reflector.get(IsRateExempt, handler) || isConcurrencyLimited(this.reflector, handler))
      return false;
    const exempt = this.reflector.get(TakesNoTurn, handler);
    return exempt === 'small' ? isLarge(headers) : exempt !== 'all';
  }
}

/** A body without a stated length may be. */
const isLarge = ({ 'content-length': length }: IncomingHttpHeaders): boolean =>
  length === undefined || Number(length) >= LARGE_BODY_BYTES;
