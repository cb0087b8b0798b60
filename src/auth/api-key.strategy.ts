import type { IncomingHttpHeaders } from 'node:http';
import { Injectable } from '@nestjs/common';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import type { AuthenticatedAccount } from './account-scope';
import { AuthService } from './auth.service';

type StrategyRequest = Parameters<HeaderAPIKeyStrategy['authenticate']>[0];

/** Reads `x-api-key` (spec, Authentication). */
@Injectable()
export class ApiKeyStrategy {
  constructor(private readonly auth: AuthService) {}

  /**
   * Passport would run the strategy from a registry that all applications of a process share, so each request runs one of
   * its own.
   * @param address where the request comes from, for the owner to see.
   * @returns null for a missing, unknown, expired or revoked key.
   * @throws what the database throws: an unreachable database is not a wrong key.
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
