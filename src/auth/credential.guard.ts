import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuthenticatedAccount } from './account-scope';
import { SessionRequiredError } from './sessions/session.errors';
import { IS_SESSION_REQUIRED } from './sessions/session-required';

/** Stands behind authentication: which kinds of credential may call which route. */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws SessionRequiredError */
  canActivate(context: ExecutionContext): boolean {
    const account = context.switchToHttp().getRequest<{ user?: AuthenticatedAccount }>().user;
    const isSessionRequired = this.reflector.get<boolean | undefined>(
      IS_SESSION_REQUIRED,
      context.getHandler(),
    );
    if (isSessionRequired && account?.credential.kind !== 'session') throw new SessionRequiredError();
    return true;
  }
}
