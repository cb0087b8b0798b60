import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { type PlatformRequest, rawRequestOf } from '../../common/http/raw-http';
import {
  ACCOUNT_BODY,
  ANONYMOUS_BODY,
  type BodyLimits,
  KEY_BODY,
  readBody,
} from '../../common/http/requests/request-body';
import type { AuthenticatedAccount } from '../account-scope';

/** Parses the body after AuthGuard: unauthenticated requests may send only a small one. */
@Injectable()
export class BodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context
      .switchToHttp()
      .getRequest<PlatformRequest & { user?: AuthenticatedAccount; body?: unknown }>();
    request.body = await readBody(rawRequestOf(request), limitsOf(request.user));
    return true;
  }
}

function limitsOf(account: AuthenticatedAccount | undefined): BodyLimits {
  if (!account) return ANONYMOUS_BODY;
  // A page of another origin can send a form with the session cookie, so sessions must send JSON.
  return account.credential.kind === 'api-key' ? KEY_BODY : ACCOUNT_BODY;
}
