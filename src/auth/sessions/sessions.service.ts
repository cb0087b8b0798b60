import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { AccessChanges } from '../../common/redis/access-changes';
import { failureLine } from '../../common/failure-line';
import type { AccountScope, AuthenticatedAccount } from '../account-scope';
import { AccountsRepository } from '../accounts.repository';
import { assertSameOrigin, sessionCookieOf, sessionTokenOf } from './session-cookie';
import { SessionNotFound } from './session.errors';
import type { Client, SignInMethod } from './session.schema';
import { generateToken, hashToken } from './session-token';
import { type SessionRecord, SessionsRepository } from './sessions.repository';

export const SESSION_LIFETIME_MS = 30 * 24 * 3_600_000;
const LAST_USED_RESOLUTION_MS = 60_000;
const MAX_SESSIONS_PER_ACCOUNT = 100;
const MAX_USER_AGENT_LENGTH = 256;

/** A session that was just opened: the only time its token is known. */
export interface OpenedSession {
  readonly token: string;
  readonly record: SessionRecord;
}

/** The sessions of signed-in people. */
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
   * Opens a session for 30 days. The oldest one ends when an account has more than 100.
   * @param generation the account's token generation when the person proved who they are.
   */
  async open(
    account: AccountScope,
    method: SignInMethod,
    generation: number,
    client: Client,
  ): Promise<OpenedSession> {
    const token = generateToken('mgs_');
    const now = this.clock.now();
    const session = {
      _id: new Types.ObjectId(),
      user: account.user,
      hash: hashToken(token),
      method,
      generation,
      createdAt: now,
      lastUsedAt: now,
      lastUsedFrom: bounded(client),
      expiresAt: new Date(now.getTime() + SESSION_LIFETIME_MS),
    };
    await this.sessions.create(session);
    await this.sessions.removeBeyond(account, MAX_SESSIONS_PER_ACCOUNT);
    return { token, record: session };
  }

  /** @returns null for an unknown, expired or revoked token. */
  async authenticate(token: string, client: Client): Promise<AuthenticatedAccount | null> {
    const session = await this.sessions.findByHash(hashToken(token));
    const now = this.clock.now();
    if (!session || session.expiresAt <= now) return null;
    const generations = await this.accounts.findTokenGenerations([session.user]);
    if (generations.get(session.user.toHexString()) !== session.generation) return null;
    if (now.getTime() - session.lastUsedAt.getTime() > LAST_USED_RESOLUTION_MS) {
      this.sessions.touch(session._id, now, bounded(client)).catch((failure: unknown) => {
        this.logger.warn(`lastUsedAt of a session was not written: ${failureLine(failure)}`);
      });
    }
    return { user: session.user, credential: { kind: 'session', id: session._id } };
  }

  /**
   * The session of a request to a route that needs none.
   * @throws CsrfCheckFailed
   */
  async ofRequest(
    method: string,
    headers: IncomingHttpHeaders,
    client: Client,
  ): Promise<AuthenticatedAccount | null> {
    const token = sessionTokenOf(headers);
    if (token === undefined) return null;
    const cookie = sessionCookieOf(headers);
    if (cookie) assertSameOrigin(method, headers, cookie.scheme);
    return this.authenticate(token, client);
  }

  /** Of these sessions, the ids of those that no longer open their account. */
  async findEnded(ids: readonly Types.ObjectId[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const stored = await this.sessions.findByIds(ids);
    const generations = await this.accounts.findTokenGenerations(stored.map(({ user }) => user));
    const now = this.clock.now();
    const open = stored.filter(
      ({ user, generation, expiresAt }) =>
        expiresAt > now && generations.get(user.toHexString()) === generation,
    );
    const openIds = new Set(open.map(({ _id }) => _id.toHexString()));
    return new Set(ids.map((id) => id.toHexString()).filter((id) => !openIds.has(id)));
  }

  /** The newest first. */
  async list(account: AccountScope): Promise<SessionRecord[]> {
    const generations = await this.accounts.findTokenGenerations([account.user]);
    const generation = generations.get(account.user.toHexString()) ?? 0;
    return this.sessions.list(account, generation, this.clock.now(), MAX_SESSIONS_PER_ACCOUNT);
  }

  /** @throws SessionNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<SessionRecord> {
    const session = await this.sessions.find(account, id);
    if (!session) throw new SessionNotFound();
    return session;
  }

  /** Ends a session everywhere at once; its streams close. @throws SessionNotFound */
  async revoke(account: AccountScope, id: Types.ObjectId): Promise<void> {
    if (!(await this.sessions.remove(account, id))) throw new SessionNotFound();
    await this.accessChanges.announce(account);
  }

  /** The same, without an error when it has ended already. */
  async end(account: AccountScope, id: Types.ObjectId): Promise<void> {
    await this.sessions.remove(account, id);
    await this.accessChanges.announce(account);
  }
}

function bounded({ address, userAgent }: Client): Client {
  return { address, ...(userAgent && { userAgent: userAgent.slice(0, MAX_USER_AGENT_LENGTH) }) };
}
