import type { IncomingHttpHeaders } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { finalize, type Observable } from 'rxjs';
import type { AuthenticatedAccount } from '../account-scope';
import { AccountTurns } from '../limits/account-turns.service';
import { isConcurrencyLimited } from './concurrency.interceptor';
import { takesTurn } from './takes-turn';

interface TurnRequest {
  readonly user?: AuthenticatedAccount;
  readonly headers: IncomingHttpHeaders;
}

/**
 * Queues the requests of an account, except those of its phones and small sends. `ConcurrencyInterceptor` does it for the routes that it
 * limits, after it has refused what is too much.
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
    const handler = context.getHandler();
    if (!takesTurn(this.reflector, handler, headers) || isConcurrencyLimited(this.reflector, handler))
      return next.handle();
    const end = await this.turns.begin(user);
    return next.handle().pipe(finalize(end));
  }
}
