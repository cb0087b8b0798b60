import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock';
import { AuthenticatedAccount, Credential } from './account-scope';
import { hashApiKey } from './api-key';
import { ApiKeysRepository, type OpenKey } from './api-keys.repository';
import { DisabledAccounts } from './disabled-accounts.service';
import type { PhoneKey } from './phone-key';
import type { Client } from './sessions/session.schema';
import { SessionsService } from './sessions/sessions.service';
import { failureLine } from '../common/failure-line';

const LAST_USED_RESOLUTION_MS = 60_000;

@Injectable()
export class AuthService {
  private readonly logger = new Logger(AuthService.name);

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly sessions: SessionsService,
    private readonly disabled: DisabledAccounts,
    private readonly clock: Clock,
  ) {}

  /**
   * Finds the account an API key opens, in one indexed read. Nothing is cached: a revoked key is refused at
   * once, everywhere.
   * @param address where the request comes from, for the owner to see.
   */
  async authenticate(apiKey: string, address: string): Promise<AuthenticatedAccount | null> {
    const key = await this.keys.findActiveByHash(hashApiKey(apiKey));
    const now = this.clock.now();
    if (!key || (key.expiresAt && key.expiresAt <= now)) return null;
    if (await this.disabled.has(key)) return null;
    const touchBefore = new Date(now.getTime() - LAST_USED_RESOLUTION_MS);
    if (!key.lastUsedAt || key.lastUsedAt <= touchBefore) {
      // Nobody waits for this, and nothing depends on it.
      this.keys.touch(key._id, now, address, touchBefore).catch((failure: unknown) => {
        this.logger.warn(`lastUsedAt was not written: ${failureLine(failure)}`);
      });
    }
    return { user: key.user, credential: { kind: 'api-key', id: key._id, ...phoneScopeOf(key) } };
  }

  /** Finds the account a session opens. Nothing is cached: a revoked session is refused at once, everywhere. */
  async authenticateSession(token: string, client: Client): Promise<AuthenticatedAccount | null> {
    const account = await this.sessions.authenticate(token, client);
    return account && (await this.disabled.has(account)) ? null : account;
  }

  /**
   * Of what was authenticated once, that which no longer opens its account: revoked keys, ended sessions, and all of a
   * disabled account.
   */
  async findForfeited(opened: readonly AuthenticatedAccount[]): Promise<ReadonlySet<AuthenticatedAccount>> {
    const idsOf = (kind: Credential['kind']) =>
      opened.flatMap(({ credential }) => (credential.kind === kind ? [credential.id] : []));
    const [keyIds, sessionIds] = [idsOf('api-key'), idsOf('session')];
    const [closedKeys, endedSessions] = await Promise.all([
      keyIds.length > 0 ? this.keys.findClosed(keyIds) : new Set<string>(),
      this.sessions.findEnded(sessionIds),
    ]);
    const isForfeited = ({ kind, id }: Credential): boolean =>
      (kind === 'api-key' ? closedKeys : endedSessions).has(id.toHexString());
    const forfeited = new Set(opened.filter(({ credential }) => isForfeited(credential)));
    for (const account of opened) if (await this.disabled.has(account)) forfeited.add(account);
    return forfeited;
  }
}

function phoneScopeOf({ _id, kind, device, expiresAt }: OpenKey): { readonly phone?: PhoneKey } {
  return kind === 'phone' ? { phone: { id: _id, device, isBound: device !== undefined && !expiresAt } } : {};
}
