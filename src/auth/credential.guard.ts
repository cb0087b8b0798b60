import type { IncomingHttpHeaders } from 'node:http';
import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuthenticatedAccount } from './account-scope';
import { assertSameOrigin, sessionCookieOf } from './sessions/session-cookie';
import { SessionRequiredError } from './sessions/session.errors';
import { IS_SESSION_REQUIRED } from './sessions/session-required';

/** What Express and Fastify say of a request alike. */
interface GuardedRequest {
  readonly user?: AuthenticatedAccount;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/** Stands behind authentication: which kinds of credential may call which route, and from where. */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws CsrfCheckFailed, SessionRequiredError */
  canActivate(context: ExecutionContext): boolean {
    const { user: account, method, headers } = context.switchToHttp().getRequest<GuardedRequest>();
    const cookie = account && sessionCookieOf(headers);
    if (cookie) assertSameOrigin(method, headers, cookie.scheme);
    const isSessionRequired = this.reflector.get<boolean | undefined>(
      IS_SESSION_REQUIRED,
      context.getHandler(),
    );
    if (isSessionRequired && account?.credential.kind !== 'session') throw new SessionRequiredError();
    return true;
  }
}
