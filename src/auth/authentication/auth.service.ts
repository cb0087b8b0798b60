import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Unauthorized } from '../../common/errors';
import { accountScope, AuthenticatedAccount, Credential } from '../account-scope';
import { hashSecret } from '../token';
import { ApiKeysRepository, type ActiveKey } from '../api-keys/api-keys.repository';
import { DeviceTokensRepository } from '../device-tokens/device-tokens.repository';
import { DisabledAccountsService } from '../accounts/disabled-accounts.service';
import { isLastUsedStale, LAST_USED_RESOLUTION_MS, logFailedTouch } from '../last-used';
import type { PhoneKey } from '../phone-key';
import { SessionCookies } from '../sessions/session-cookie';
import type { Client } from '../client';
import { SessionsService } from '../sessions/sessions.service';

const CHECK_EVERY = 200;

@Injectable()
export class AuthService {
  private readonly logger = new Logger(AuthService.name);

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly sessions: SessionsService,
    private readonly deviceTokens: DeviceTokensRepository,
    private readonly disabledAccounts: DisabledAccountsService,
    private readonly cookies: SessionCookies,
    private readonly clock: Clock,
  ) {}

  /**
   * Authenticates an API key. Keys are not cached, so a revoked key is refused immediately by every process.
   * @param address the client address, stored as `lastUsedFrom`.
   */
  async authenticate(apiKey: string, address: string): Promise<AuthenticatedAccount | null> {
    const key = await this.keys.findActiveByHash(hashSecret(apiKey));
    const now = this.clock.now();
    if (!key || (key.expiresAt && key.expiresAt <= now)) return null;
    if (await this.disabledAccounts.isDisabled(accountScope(key.user))) return null;
    if (isLastUsedStale(key.lastUsedAt, now)) {
      const before = new Date(now.getTime() - LAST_USED_RESOLUTION_MS);
      const update = this.keys.touch(key._id, now, address, before);
      logFailedTouch(this.logger, `API key ${key._id.toHexString()}`, update);
    }
    return { ...accountScope(key.user), credential: { kind: 'api-key', id: key._id, ...phoneScopeOf(key) } };
  }

  /** Authenticates a session token. Sessions are not cached, so a revoked one is refused immediately by every process. */
  async authenticateSession(token: string, client: Client): Promise<AuthenticatedAccount | null> {
    const account = await this.sessions.authenticate(token, client);
    return account && (await this.disabledAccounts.isDisabled(account)) ? null : account;
  }

  /** Authenticates the token of a paired app. Tokens are not cached, so a revoked one is refused immediately by every process. */
  async authenticateDeviceToken(token: string): Promise<AuthenticatedAccount | null> {
    const found = await this.deviceTokens.findByHash(hashSecret(token));
    if (!found || (await this.disabledAccounts.isDisabled(accountScope(found.user)))) return null;
    return { ...accountScope(found.user), credential: { kind: 'device-token', id: found._id } };
  }

  /**
   * Authenticates the session of a request to a public route, if it has one.
   * @throws CsrfCheckFailed
   */
  async authenticateOptionalSession(
    method: string,
    headers: IncomingHttpHeaders,
    client: Client,
  ): Promise<AuthenticatedAccount | null> {
    const token = this.cookies.tokenOf(headers);
    if (token === undefined) return null;
    this.cookies.assertSameOrigin(method, headers);
    return this.authenticateSession(token, client);
  }

  /** Of these authenticated accounts, those whose key or token was revoked, whose session ended, or that were disabled since. */
  async findRevoked(
    authenticated: readonly AuthenticatedAccount[],
  ): Promise<ReadonlySet<AuthenticatedAccount>> {
    const idsOf = (kind: Credential['kind']) =>
      authenticated.flatMap(({ credential }) => (credential.kind === kind ? [credential.id] : []));
    const [keyIds, sessionIds, tokenIds] = [idsOf('api-key'), idsOf('session'), idsOf('device-token')];
    const [keys, sessions, tokens] = await Promise.all([
      keyIds.length > 0 ? this.keys.findInactive(keyIds) : new Set<string>(),
      this.sessions.findEnded(sessionIds),
      tokenIds.length > 0 ? this.deviceTokens.findWithout(tokenIds) : new Set<string>(),
    ]);
    const ended = { 'api-key': keys, session: sessions, 'device-token': tokens } as const;
    const isRevoked = ({ kind, id }: Credential): boolean => ended[kind].has(id.toHexString());
    const revoked = new Set(authenticated.filter(({ credential }) => isRevoked(credential)));
    for (const account of authenticated)
      if (await this.disabledAccounts.isDisabled(account)) revoked.add(account);
    return revoked;
  }

  /**
   * Passes items on as long as the credential is valid, for responses that last. Checks it every 200 items.
   * @throws Unauthorized
   */
  async *whileValid<Item>(account: AuthenticatedAccount, items: AsyncIterable<Item>): AsyncGenerator<Item> {
    let count = 0;
    for await (const item of items) {
      yield item;
      count += 1;
      if (count % CHECK_EVERY === 0 && (await this.findRevoked([account])).size > 0) throw new Unauthorized();
    }
  }
}

function phoneScopeOf({ _id, kind, device, expiresAt }: ActiveKey): { readonly phone?: PhoneKey } {
  return kind === 'phone' ? { phone: { id: _id, device, isBound: device !== undefined && !expiresAt } } : {};
}
