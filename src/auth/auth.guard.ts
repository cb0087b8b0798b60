import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { StrategyCreatedStatic } from 'passport';
import { Unauthorized } from '../common/errors';
import { AuthenticatedAccount } from './account-scope';
import { hashApiKey } from './api-key';
import { ApiKeyStrategy } from './api-key.strategy';
import { AuthService } from './auth.service';
import { clientAddressOf } from './client-address';
import { IS_PUBLIC } from './public';
import { IS_RATE_EXEMPT } from './rate-exempt';
import { clientOf } from './request-client';
import { RequestRates } from './request-rates.service';
import { sessionTokenOf } from './sessions/session-cookie';

/** Guards every route: an API key (`x-api-key`) or a session (`authorization: Bearer`, or the cookie) opens it. */
@Injectable()
export class AccountGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly strategy: ApiKeyStrategy,
    private readonly auth: AuthService,
    private readonly rates: RequestRates,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.isMarked(IS_PUBLIC, context)) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request & { user?: AuthenticatedAccount }>();
    // A key that is shown is the one that counts, also when it opens nothing.
    const key = request.get('x-api-key');
    const token = key === undefined ? sessionTokenOf(request.headers) : undefined;
    const shown = key ?? token;
    const visit = {
      credential: shown === undefined ? undefined : hashApiKey(shown),
      address: clientAddressOf(request),
      isExempt: this.isMarked(IS_RATE_EXEMPT, context),
    };
    await this.rates.admit(visit);
    const account =
      token === undefined
        ? await this.authenticateKey(request)
        : await this.auth.authenticateSession(token, clientOf(request));
    if (!account) {
      await this.rates.countRefusal(visit);
      throw new Unauthorized();
    }
    await this.rates.countUse(visit, account);
    request.user = account;
    return true;
  }

  private isMarked(mark: string, context: ExecutionContext): boolean {
    return this.reflector.get<boolean | undefined>(mark, context.getHandler()) ?? false;
  }

  /**
   * Runs this application's own strategy, as Passport runs one: with the ways out hung onto a copy of it. Passport itself
   * would look for it in a registry that all applications of a process share, and so ask whichever was started last.
   */
  private authenticateKey(request: Request): Promise<AuthenticatedAccount | null> {
    return new Promise((resolve, reject) => {
      const strategy = Object.create(this.strategy) as ApiKeyStrategy & StrategyCreatedStatic;
      strategy.success = (account: AuthenticatedAccount) => {
        resolve(account);
      };
      strategy.fail = () => {
        resolve(null);
      };
      // A database that cannot be asked is not the same as a wrong key.
      strategy.error = reject;
      strategy.authenticate(request);
    });
  }
}
