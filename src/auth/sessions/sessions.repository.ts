import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { CoalescedLoader } from '../../common/coalescer';
import type { AccountScope } from '../account-scope';
import type { Client } from '../client';
import { Session } from './session.schema';

const RECORD_FIELDS = { method: 1, createdAt: 1, lastUsedAt: 1, lastUsedFrom: 1, expiresAt: 1 } as const;
const STORED_FIELDS = { user: 1, generation: 1, lastUsedAt: 1, expiresAt: 1 } as const;

export type SessionRecord = Pick<Session, '_id' | keyof typeof RECORD_FIELDS>;
export type StoredSession = Pick<Session, '_id' | keyof typeof STORED_FIELDS>;

@Injectable()
export class SessionsRepository {
  private readonly byHash = new CoalescedLoader(String, (hashes: readonly string[]) =>
    this.readByHash(hashes),
  );

  constructor(@InjectModel(Session.name) private readonly sessions: Model<Session>) {}

  async create(session: Session): Promise<void> {
    await this.sessions.insertMany([session], { lean: true });
  }

  /** The session with this token hash, expired or not. */
  findByHash(hash: string): Promise<StoredSession | null> {
    return this.byHash.load(hash);
  }

  /** The sessions with these ids, expired or not. */
  findByIds(ids: readonly Types.ObjectId[]): Promise<StoredSession[]> {
    return this.sessions.find({ _id: { $in: ids } }, STORED_FIELDS).lean<StoredSession[]>();
  }

  /** Sessions of this token generation that have not expired, newest first. */
  list(account: AccountScope, generation: number, now: Date, limit: number): Promise<SessionRecord[]> {
    return this.sessions
      .find({ user: account.user, generation, expiresAt: { $gt: now } }, RECORD_FIELDS)
      .sort({ createdAt: -1 })
      .limit(limit)
      .lean<SessionRecord[]>();
  }

  find(account: AccountScope, id: Types.ObjectId): Promise<SessionRecord | null> {
    return this.sessions.findOne({ _id: id, user: account.user }, RECORD_FIELDS).lean<SessionRecord>();
  }

  /** @returns false when the account has no such session. */
  async remove(account: AccountScope, id: Types.ObjectId): Promise<boolean> {
    const result = await this.sessions.deleteOne({ _id: id, user: account.user });
    return result.deletedCount === 1;
  }

  async removeAllButNewest(account: AccountScope, limit: number): Promise<void> {
    const newest = await this.sessions
      .find({ user: account.user }, { _id: 1 })
      .sort({ createdAt: -1 })
      .limit(2 * limit)
      .lean();
    const excess = newest.slice(limit).map(({ _id }) => _id);
    if (excess.length > 0) await this.sessions.deleteMany({ _id: { $in: excess } });
  }

  async touch(id: Types.ObjectId, lastUsedAt: Date, lastUsedFrom: Client): Promise<void> {
    await this.sessions.updateOne({ _id: id }, { $set: { lastUsedAt, lastUsedFrom } });
  }

  private async readByHash(hashes: readonly string[]): Promise<Map<string, StoredSession>> {
    const found = await this.sessions
      .find({ hash: { $in: hashes } }, { ...STORED_FIELDS, hash: 1 })
      .lean<(StoredSession & Pick<Session, 'hash'>)[]>();
    return new Map(found.map((session) => [session.hash, session]));
  }
}
