import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import passport from 'passport';
import { Unauthorized } from '../common/errors';
import { AuthenticatedAccount } from './account-scope';
import { ApiKeyStrategy } from './api-key.strategy';

/** Guards every route. */
@Injectable()
export class AccountGuard implements CanActivate {
  constructor(private readonly strategy: ApiKeyStrategy) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request & { user?: AuthenticatedAccount }>();
    request.user = await this.authenticate(request, http.getResponse<Response>());
    return true;
  }

  /**
   * Runs this application's own strategy. Passport would look one up by name in a registry that all
   * applications of a process share, and so ask whichever was started last.
   */
  private authenticate(request: Request, response: Response): Promise<AuthenticatedAccount> {
    return new Promise((resolve, reject) => {
      const done = (failure: Error | null, account: AuthenticatedAccount | false) => {
        // A database that cannot be asked is not the same as a wrong key.
        if (failure) reject(failure);
        else if (account) resolve(account);
        else reject(new Unauthorized());
      };
      // Passport hangs each request's outcome onto the strategy: every request needs its own.
      const strategy = Object.create(this.strategy) as ApiKeyStrategy;
      const middleware = passport.authenticate(strategy, { session: false }, done) as Middleware;
      middleware(request, response, reject);
    });
  }
}

type Middleware = (request: Request, response: Response, next: (failure?: Error) => void) => void;
