import type { IncomingHttpHeaders } from 'node:http';
import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Unauthorized } from '../../common/errors';
import {
  type PlatformRequest,
  type PlatformResponse,
  rawRequestOf,
  rawResponseOf,
} from '../../common/http/raw-http';
import { mayHaveBody } from '../../common/http/requests/request-body';
import type { AuthenticatedAccount } from '../account-scope';
import { AnonymousRequestLimiter } from '../limits/anonymous-request-limiter.service';
import { hashSecret } from '../token';
import { ApiKeyStrategy } from './api-key.strategy';
import { AuthService } from '../auth.service';
import { clientAddressOf, clientOf } from '../client-address';
import { IsPublic, IsRateExempt } from './route-access.decorators';
import { credentialOf, type PresentedCredential } from './request-credential';
import { RequestRateLimiter } from '../limits/request-rate-limiter.service';
import type { Client } from '../sessions/session.schema';

/**
 * Authenticates every request that is not to a public route, from its headers alone, before the body is read.
 * Unauthenticated requests count against the rate limit of their address.
 */
@Injectable()
export class AuthGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeyStrategy,
    private readonly auth: AuthService,
    private readonly rateLimiter: RequestRateLimiter,
    private readonly anonymousRequests: AnonymousRequestLimiter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<
      PlatformRequest & { readonly ip?: string; user?: AuthenticatedAccount }
    >();
    const raw = rawRequestOf(request);
    const address = clientAddressOf(request);
    if (this.reflector.get(IsPublic, context.getHandler())) {
      // Public routes without a body, such as health checks, are cheap and not limited.
      if (!mayHaveBody(raw)) return true;
      await this.countPublic(address);
      this.anonymousRequests.acquire(address, rawResponseOf(http.getResponse<PlatformResponse>()));
      return true;
    }
    const presented = credentialOf(raw.headers);
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
    return true;
  }

  private async countPublic(address: string): Promise<void> {
    const limited = { credentialHash: undefined, address, isExempt: false };
    await this.rateLimiter.assertAllowed(limited);
    await this.rateLimiter.countUnauthenticated(limited);
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
    }
  }
}
