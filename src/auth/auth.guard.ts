import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import passport from 'passport';
import { Unauthorized } from '../common/errors';
import { AuthenticatedAccount } from './account-scope';
import { ApiKeyStrategy } from './api-key.strategy';
import { AuthService } from './auth.service';
import { IS_PUBLIC } from './public';

/** Guards every route: an API key (`x-api-key`) or a dashboard token (`authorization: Bearer`) opens it. */
@Injectable()
export class AccountGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly strategy: ApiKeyStrategy,
    private readonly auth: AuthService,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (this.reflector.get<boolean | undefined>(IS_PUBLIC, context.getHandler())) return true;
    const http = context.switchToHttp();
    const request = http.getRequest<Request & { user?: AuthenticatedAccount }>();
    const token = bearerTokenOf(request);
    // A key that is shown is the one that counts, also when it opens nothing.
    request.user =
      token !== undefined && request.get('x-api-key') === undefined
        ? await this.authenticateToken(token)
        : await this.authenticateKey(request, http.getResponse<Response>());
    return true;
  }

  private async authenticateToken(token: string): Promise<AuthenticatedAccount> {
    const account = await this.auth.authenticateToken(token);
    if (!account) throw new Unauthorized();
    return account;
  }

  /**
   * Runs this application's own strategy. Passport would look one up by name in a registry that all
   * applications of a process share, and so ask whichever was started last.
   */
  private authenticateKey(request: Request, response: Response): Promise<AuthenticatedAccount> {
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

function bearerTokenOf(request: Request): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.get('authorization') ?? '')?.[1];
}
