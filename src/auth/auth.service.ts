import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock';
import { AuthenticatedAccount, Credential } from './account-scope';
import { AccountsRepository } from './accounts.repository';
import { hashApiKey } from './api-key';
import { ApiKeysRepository } from './api-keys.repository';
import { DashboardTokens } from './dashboard-tokens';
import { failureLine } from '../common/failure-line';

const LAST_USED_RESOLUTION_MS = 60_000;

@Injectable()
export class AuthService {
  private readonly logger = new Logger(AuthService.name);

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly accounts: AccountsRepository,
    private readonly tokens: DashboardTokens,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the account an API key opens, in one indexed read. Nothing is cached: a revoked key is refused at
   * once, everywhere.
   */
  async authenticate(apiKey: string): Promise<AuthenticatedAccount | null> {
    const key = await this.keys.findActiveByHash(hashApiKey(apiKey));
    if (!key) return null;
    const now = this.clock.now();
    if (!key.lastUsedAt || now.getTime() - key.lastUsedAt.getTime() > LAST_USED_RESOLUTION_MS) {
      // Nobody waits for this, and nothing depends on it.
      this.keys.touch(key._id, now).catch((failure: unknown) => {
        this.logger.warn(`lastUsedAt was not written: ${failureLine(failure)}`);
      });
    }
    return { user: key.user, credential: { kind: 'api-key', id: key._id } };
  }

  /** Finds the account a dashboard token opens; one read too, so that a new password ends older tokens at once. */
  async authenticateToken(token: string): Promise<AuthenticatedAccount | null> {
    const claims = this.tokens.read(token);
    if (!claims) return null;
    const { user, generation, expiresAt } = claims;
    const generations = await this.accounts.findTokenGenerations([user]);
    if (generations.get(user.toHexString()) !== generation) return null;
    return { user, credential: { kind: 'token', generation, expiresAt } };
  }

  /** Of what was authenticated once, that which no longer opens its account: revoked keys, ended tokens. */
  async findForfeited(opened: readonly AuthenticatedAccount[]): Promise<ReadonlySet<AuthenticatedAccount>> {
    const keyIds = opened.flatMap(({ credential }) => (credential.kind === 'api-key' ? [credential.id] : []));
    const users = opened.flatMap(({ credential, user }) => (credential.kind === 'token' ? [user] : []));
    const [closedKeys, generations] = await Promise.all([
      keyIds.length > 0 ? this.keys.findClosed(keyIds) : new Set<string>(),
      users.length > 0 ? this.accounts.findTokenGenerations(users) : new Map<string, number>(),
    ]);
    const now = this.clock.now();
    const isForfeited = (user: string, credential: Credential): boolean => {
      switch (credential.kind) {
        case 'api-key':
          return closedKeys.has(credential.id.toHexString());
        case 'token':
          return credential.expiresAt <= now || generations.get(user) !== credential.generation;
      }
    };
    return new Set(opened.filter(({ user, credential }) => isForfeited(user.toHexString(), credential)));
  }
}
