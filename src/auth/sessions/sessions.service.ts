import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { DAY_MS } from '../../common/durations';
import { AccessChanges } from '../../infrastructure/redis/access-changes';
import { accountScope, type AccountScope, type AuthenticatedAccount } from '../account-scope';
import { AccountsRepository } from '../accounts/accounts.repository';
import { isLastUsedStale, logFailedTouch } from '../last-used';
import { SessionNotFound } from './session.errors';
import type { Client } from '../client';
import type { SignInMethod } from './session.schema';
import { generateToken, hashSecret } from '../token';
import { type SessionRecord, SessionsRepository } from './sessions.repository';

export const SESSION_LIFETIME_MS = 30 * DAY_MS;
const MAX_SESSIONS_PER_ACCOUNT = 100;
const MAX_USER_AGENT_LENGTH = 256;

/** A new session with its token, of which only a hash is stored. */
export interface NewSession {
  readonly token: string;
  readonly record: SessionRecord;
}

@Injectable()
export class SessionsService {
  private readonly logger = new Logger(SessionsService.name);

  constructor(
    private readonly sessions: SessionsRepository,
    private readonly accounts: AccountsRepository,
    private readonly accessChanges: AccessChanges,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a session of 30 days. The oldest one is removed when an account has more than 100.
   * @param generation the account's token generation when the credentials were checked.
   */
  async create(
    account: AccountScope,
    method: SignInMethod,
    generation: number,
    client: Client,
  ): Promise<NewSession> {
    const token = generateToken('mgs_');
    const now = this.clock.now();
    const session = {
      _id: new Types.ObjectId(),
      user: account.user,
      hash: hashSecret(token),
      method,
      generation,
      createdAt: now,
      lastUsedAt: now,
      lastUsedFrom: withShortUserAgent(client),
      expiresAt: new Date(now.getTime() + SESSION_LIFETIME_MS),
    };
    await this.sessions.create(session);
    await this.sessions.removeAllButNewest(account, MAX_SESSIONS_PER_ACCOUNT);
    return { token, record: session };
  }

  /** For AuthService, which also refuses disabled accounts. @returns null for an unknown, expired or revoked token. */
  async authenticate(token: string, client: Client): Promise<AuthenticatedAccount | null> {
    const session = await this.sessions.findByHash(hashSecret(token));
    const now = this.clock.now();
    if (!session || session.expiresAt <= now) return null;
    const generation = await this.accounts.findTokenGeneration(accountScope(session.user));
    if (generation !== session.generation) return null;
    if (isLastUsedStale(session.lastUsedAt, now)) {
      const update = this.sessions.touch(session._id, now, withShortUserAgent(client));
      logFailedTouch(this.logger, `session ${session._id.toHexString()}`, update);
    }
    return { ...accountScope(session.user), credential: { kind: 'session', id: session._id } };
  }

  /** Of these session ids, those whose session has ended. */
  async findEnded(ids: readonly Types.ObjectId[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const stored = await this.sessions.findByIds(ids);
    const generations = await this.accounts.findTokenGenerations(stored.map(({ user }) => user));
    const now = this.clock.now();
    const valid = stored.filter(
      ({ user, generation, expiresAt }) =>
        expiresAt > now && generations.get(user.toHexString()) === generation,
    );
    const validIds = new Set(valid.map(({ _id }) => _id.toHexString()));
    return new Set(ids.map((id) => id.toHexString()).filter((id) => !validIds.has(id)));
  }

  /** The valid sessions, newest first. */
  async list(account: AccountScope): Promise<SessionRecord[]> {
    const generation = (await this.accounts.findTokenGeneration(account)) ?? 0;
    return this.sessions.list(account, generation, this.clock.now(), MAX_SESSIONS_PER_ACCOUNT);
  }

  /** @throws SessionNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<SessionRecord> {
    const session = await this.sessions.find(account, id);
    if (!session) throw new SessionNotFound();
    return session;
  }

  /** Ends a session in every process and closes its streams. @throws SessionNotFound */
  async revoke(account: AccountScope, id: Types.ObjectId): Promise<void> {
    if (!(await this.sessions.remove(account, id))) throw new SessionNotFound();
    await this.accessChanges.publish(account);
  }

  /** Like `revoke`, but without an error for a session that has already ended. */
  async end(account: AccountScope, id: Types.ObjectId): Promise<void> {
    await this.sessions.remove(account, id);
    await this.accessChanges.publish(account);
  }

  /** Ends all sessions and sign-in links in one write, including a session that is being created, and closes streams. */
  async endAll(account: AccountScope): Promise<void> {
    await this.accounts.endSessions(account, this.clock.now());
    await this.accessChanges.publish(account);
  }
}

function withShortUserAgent({ address, userAgent }: Client): Client {
  return { address, ...(userAgent && { userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH) }) };
}
