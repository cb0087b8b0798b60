import type { IncomingHttpHeaders } from 'node:http';
import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Unauthorized } from '../../common/errors';
import {
  type PlatformRequest,
  type PlatformResponse,
  rawRequestOf,
  rawResponseOf,
} from '../../common/http/connections/raw-http';
import { mayHaveBody } from '../../common/http/requests/request-body';
import { Activity } from '../../infrastructure/sweeps/activity.service';
import type { AuthenticatedAccount } from '../account-scope';
import { AnonymousRequestLimiter } from '../limits/anonymous-request-limiter.service';
import { hashSecret } from '../token';
import { ApiKeyStrategy } from './api-key.strategy';
import { AuthService } from './auth.service';
import { clientAddressOf, clientOf } from '../http/client-address';
import {
  IsDeviceTokenRequired,
  IsRateExempt,
  type PublicAccess,
  PublicAccessOf,
} from '../http/route-access.decorators';
import { credentialOf, deviceTokenOf, type PresentedCredential } from './request-credential';
import { PublicRequestLimiter } from '../limits/public-request-limiter.service';
import { RequestRateLimiter } from '../limits/request-rate-limiter.service';
import { SessionCookies } from '../sessions/session-cookie';
import type { Client } from '../client';

/**
 * Authenticates every request that is not to a public route, from its headers alone, before the body is read.
 * Requests without a valid credential count against the rate limits of their address.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeyStrategy,
    private readonly auth: AuthService,
    private readonly rateLimiter: RequestRateLimiter,
    private readonly anonymousRequests: AnonymousRequestLimiter,
    private readonly publicRequests: PublicRequestLimiter,
    private readonly cookies: SessionCookies,
    private readonly activity: Activity,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<
      PlatformRequest & { readonly ip?: string; user?: AuthenticatedAccount }
    >();
    const raw = rawRequestOf(request);
    const address = clientAddressOf(request);
    const publicAccess = this.reflector.get(PublicAccessOf, context.getHandler());
    if (publicAccess) {
      await this.countPublic(publicAccess, address);
      if (mayHaveBody(raw))
        this.anonymousRequests.acquire(address, rawResponseOf(http.getResponse<PlatformResponse>()));
      return true;
    }
    const presented = this.reflector.get(IsDeviceTokenRequired, context.getHandler())
      ? deviceTokenOf(raw.headers)
      : credentialOf(raw.headers, this.cookies);
    const limited = {
      credentialHash: presented && hashSecret(presented.secret),
      address,
      isExempt: this.reflector.get(IsRateExempt, context.getHandler()) ?? false,
    };
    await this.rateLimiter.assertAllowed(limited);
    const account =
      presented &&
      (await this.authenticate(presented, raw.headers, clientOf({ ip: request.ip, headers: raw.headers })));
    if (!account) {
      await this.rateLimiter.countUnauthenticated(limited);
      throw new Unauthorized();
    }
    await this.rateLimiter.countAuthenticated(limited, account);
    request.user = account;
    this.activity.record();
    return true;
  }

  private async countPublic(access: PublicAccess, address: string): Promise<void> {
    if (access === 'probe') return this.publicRequests.countProbe(address);
    const limited = { credentialHash: undefined, address, isExempt: false };
    await this.rateLimiter.assertAllowed(limited);
    if (access === 'request') await this.rateLimiter.countUnauthenticated(limited);
  }

  private authenticate(
    { kind, secret }: PresentedCredential,
    headers: IncomingHttpHeaders,
    client: Client,
  ): Promise<AuthenticatedAccount | null> {
    switch (kind) {
      case 'api-key':
        return this.apiKeys.authenticate(headers, client.address);
      case 'session':
        return this.auth.authenticateSession(secret, client);
      case 'device-token':
        return this.auth.authenticateDeviceToken(secret);
    }
  }
}
