import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { type PlatformRequest, rawRequestOf } from '../common/http/raw-http';
import { ACCOUNT_BODY, ANONYMOUS_BODY, readBody } from '../common/http/request-body';
import type { AuthenticatedAccount } from './account-scope';

/** Reads the body of a request that AccountGuard let pass: a large one with an account, a small one without. */
@Injectable()
export class BodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context
      .switchToHttp()
      .getRequest<PlatformRequest & { user?: AuthenticatedAccount; body?: unknown }>();
    request.body = await readBody(rawRequestOf(request), request.user ? ACCOUNT_BODY : ANONYMOUS_BODY);
    return true;
  }
}
