import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import {
  type PlatformRequest,
  type PlatformResponse,
  rawRequestOf,
  rawResponseOf,
} from '../../common/http/connections/raw-http';
import {
  ACCOUNT_BODY,
  ANONYMOUS_BODY,
  type BodyLimits,
  KEY_BODY,
  readBody,
  readSignedBody,
} from '../../common/http/requests/request-body';
import { IsBodyStreamed, PublicAccessOf } from '../http/route-access.decorators';
import type { AuthenticatedAccount } from '../account-scope';
import { LargeBodyLimiter } from '../limits/large-body-limiter.service';

/** Parses the body after AuthGuard: unauthenticated requests may send only a small one. */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly largeBodies: LargeBodyLimiter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<PlatformRequest & { user?: AuthenticatedAccount; body?: unknown }>();
    const { user } = request;
    if (this.reflector.get(IsBodyStreamed, context.getHandler())) return true;
    if (this.reflector.get(PublicAccessOf, context.getHandler()) === 'signed') {
      request.body = await readSignedBody(rawRequestOf(request));
      return true;
    }
    const admitLarge =
      user && (() => this.largeBodies.admit(user, rawResponseOf(http.getResponse<PlatformResponse>())));
    request.body = await readBody(rawRequestOf(request), {
      ...limitsOf(user),
      ...(admitLarge && { admitLarge }),
    });
    return true;
  }
}

function limitsOf(account: AuthenticatedAccount | undefined): BodyLimits {
  if (!account) return ANONYMOUS_BODY;
  // A page of another origin can send a form with the session cookie, so sessions must send JSON.
  return account.credential.kind === 'api-key' ? KEY_BODY : ACCOUNT_BODY;
}
