import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import type { AuthenticatedAccount } from '../account-scope';
import { AuthService } from './auth.service';

type StrategyRequest = Parameters<HeaderAPIKeyStrategy['authenticate']>[0];

/** Authenticates the `x-api-key` header with Passport's header strategy. */
@Injectable()
export class ApiKeyStrategy {
  constructor(private readonly auth: AuthService) {}

  /**
   * Runs a new strategy for each request, because Passport's registry is shared by all applications of a process.
   * @param address the client address, stored as `lastUsedFrom`.
   * @returns null for a missing, unknown, expired or revoked key.
   * @throws the error of an unreachable database.
   */
  authenticate(headers: IncomingHttpHeaders, address: string): Promise<AuthenticatedAccount | null> {
    return new Promise((resolve, reject) => {
      const strategy = new HeaderAPIKeyStrategy(
        { header: 'x-api-key', prefix: '' },
        false,
        (key, verified) => {
          this.auth.authenticate(key, address).then((account) => {
            verified(null, account ?? undefined);
          }, verified);
        },
      );
      Object.assign(strategy, {
        success: resolve,
        fail: () => {
          resolve(null);
        },
        error: reject,
      });
      strategy.authenticate({ headers } as StrategyRequest);
    });
  }
}
