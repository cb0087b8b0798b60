import type { IncomingHttpHeaders } from 'node:http';
import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AccountScope, AuthenticatedAccount } from './account-scope';
import { AccountsRepository } from './accounts.repository';
import { EmailNotVerified } from './auth.errors';
import { assertSameOrigin, sessionCookieOf } from './sessions/session-cookie';
import { SessionRequiredError } from './sessions/session.errors';
import { IS_SESSION_REQUIRED } from './sessions/session-required';
import { IS_VERIFICATION_REQUIRED } from './verification-required';

/** What Express and Fastify say of a request alike. */
interface GuardedRequest {
  readonly user?: AuthenticatedAccount;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** Stands behind authentication: which kinds of credential may call which route, and from where. */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly accounts: AccountsRepository,
  ) {}

  /** @throws CsrfCheckFailed, SessionRequiredError, EmailNotVerified */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { user: account, method, headers } = context.switchToHttp().getRequest<GuardedRequest>();
    const cookie = account && sessionCookieOf(headers);
    if (cookie) assertSameOrigin(method, headers, cookie.scheme);
    const isSession = account?.credential.kind === 'session';
    if (this.isMarked(IS_SESSION_REQUIRED, context) && !isSession) throw new SessionRequiredError();
    // An account that was never verified has no keys.
    if (isSession && this.isMarked(IS_VERIFICATION_REQUIRED, context)) await this.assertVerified(account);
    return true;
  }

  private async assertVerified(account: AccountScope): Promise<void> {
    if (!(await this.accounts.wasVerified(account))) throw new EmailNotVerified();
  }

  private isMarked(mark: string, context: ExecutionContext): boolean {
    return this.reflector.get<boolean | undefined>(mark, context.getHandler()) ?? false;
  }
}
