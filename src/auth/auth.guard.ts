import type { IncomingHttpHeaders } from 'node:http';
import { CanActivate, ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Unauthorized } from '../common/errors';
import {
  type PlatformRequest,
  type PlatformResponse,
  rawRequestOf,
  rawResponseOf,
} from '../common/http/raw-http';
import { mayHaveBody } from '../common/http/request-body';
import type { AuthenticatedAccount } from './account-scope';
import { AnonymousRequests } from './anonymous-requests';
import { hashApiKey } from './api-key';
import { ApiKeyStrategy } from './api-key.strategy';
import { AuthService } from './auth.service';
import { clientAddressOf } from './client-address';
import { IS_PUBLIC } from './public';
import { IS_RATE_EXEMPT } from './rate-exempt';
import { clientOf } from './request-client';
import { credentialOf, type PresentedCredential } from './request-credential';
import { RequestRates } from './request-rates.service';
import type { Client } from './sessions/session.schema';

/**
 * Guards every route by the headers of the request alone, before its body is read. A route that is not public needs a
 * credential that opens an account. A request without one counts against its address.
 */
@Injectable()
export class AccountGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeyStrategy,
    private readonly auth: AuthService,
    private readonly rates: RequestRates,
    private readonly anonymous: AnonymousRequests,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<
      PlatformRequest & { readonly ip?: string; user?: AuthenticatedAccount }
    >();
    const raw = rawRequestOf(request);
    const address = clientAddressOf(request);
    if (this.isMarked(IS_PUBLIC, context)) {
      // Health checks and the like have no body and cost little.
      if (!mayHaveBody(raw)) return true;
      await this.countPublic(address);
      this.anonymous.enter(address, rawResponseOf(http.getResponse<PlatformResponse>()));
      return true;
    }
    const presented = credentialOf(raw.headers);
    const visit = {
      credential: presented && hashApiKey(presented.secret),
      address,
      isExempt: this.isMarked(IS_RATE_EXEMPT, context),
    };
    await this.rates.admit(visit);
    const account =
      presented &&
      (await this.open(presented, raw.headers, clientOf({ ip: request.ip, headers: raw.headers })));
    if (!account) {
      await this.rates.countRefusal(visit);
      throw new Unauthorized();
    }
    await this.rates.countUse(visit, account);
    request.user = account;
    return true;
  }

  private async countPublic(address: string): Promise<void> {
    const visit = { credential: undefined, address, isExempt: false };
    await this.rates.admit(visit);
    await this.rates.countRefusal(visit);
  }

  private open(
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

  private isMarked(mark: string, context: ExecutionContext): boolean {
    return this.reflector.get<boolean | undefined>(mark, context.getHandler()) ?? false;
  }
}
