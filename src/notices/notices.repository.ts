import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types, type mongo } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { DAY_MS } from '../common/durations';
import { atOrBefore } from '../infrastructure/mongo/at-or-before';
import { isDuplicateKey } from '../infrastructure/mongo/duplicate-key';
import { upsertManyUnordered } from '../infrastructure/mongo/unordered-writes';
import type { ToldState } from './account-notices.schema';
import { Notice } from './notice.schema';
import { FLAPPING_MS } from './notice-rules';

/** Something that an owner may be told. */
export type Occurrence = Pick<
  Notice,
  '_id' | 'user' | 'topic' | 'state' | 'at' | 'since' | 'device' | 'name' | 'detail'
>;

/** How long the state of a subject, and what its owner was told, is kept after its last change. */
const KEPT_MS = 90 * DAY_MS;

@Injectable()
export class NoticesRepository {
  constructor(@InjectModel(Notice.name) private readonly notices: Model<Notice>) {}

  /** Stores what happened, unless something later about the same is stored. Idempotent. */
  async record(occurrences: readonly Occurrence[]): Promise<void> {
    if (occurrences.length === 0) return;
    const updates = occurrences.map(({ _id, at, ...occurrence }) => ({
      // One that is stored and not older does not match, so that the insert is a duplicate.
      filter: { _id: _id as unknown as mongo.ObjectId, at: { $lt: at } },
      update: recordUpdate({ at, ...occurrence }),
    }));
    const failures = await upsertManyUnordered(this.notices, updates);
    for (const failure of failures) if (failure && !isDuplicateKey(failure)) throw failure;
  }

  /** The accounts with something due at or before `until`, the longest due first. */
  async listDueAccounts(until: Date, limit: number): Promise<Types.ObjectId[]> {
    const due = await this.notices
      .find({ dueAt: atOrBefore(until) }, { user: 1 })
      .sort({ dueAt: 1 })
      .limit(limit)
      .lean<Pick<Notice, 'user'>[]>();
    return [...new Map(due.map(({ user }) => [user.toHexString(), user])).values()];
  }

  listDue({ user }: AccountScope, now: Date, limit: number): Promise<Notice[]> {
    return this.notices
      .find({ user, dueAt: { $lte: now } })
      .sort({ dueAt: 1 })
      .limit(limit)
      .lean<Notice[]>();
  }

  /** Looks again at `until` at what is due. */
  async postpone({ user }: AccountScope, now: Date, until: Date): Promise<void> {
    await this.notices.updateMany({ user, dueAt: { $lte: now } }, { $set: { dueAt: until } });
  }

  /** Looks at `now` at what is not told yet. */
  async reconsider({ user }: AccountScope, now: Date): Promise<void> {
    await this.notices.updateMany({ user, dueAt: { $gt: now } }, { $set: { dueAt: now } });
  }

  /** Looks at these again later, each at its time, unless they have changed. */
  async postponeEach(notices: readonly (Pick<Notice, '_id' | 'at'> & { readonly until: Date })[]) {
    if (notices.length === 0) return;
    const writes = notices.map(({ _id, at, until }) => ({
      updateOne: { filter: { _id, at, dueAt: { $exists: true } }, update: { $set: { dueAt: until } } },
    }));
    await this.notices.bulkWrite(writes, { ordered: false });
  }

  /** Notes what the owner was told. What has changed since is still to be told. */
  async markTold(told: readonly ToldState[]): Promise<void> {
    if (told.length === 0) return;
    const writes = told.map(({ notice: _id, state, at }) => ({
      updateOne: {
        filter: { _id },
        update: [{ $set: { told: state, dueAt: { $cond: [{ $eq: ['$at', at] }, '$$REMOVE', '$dueAt'] } } }],
      },
    }));
    await this.notices.bulkWrite(writes, { ordered: false });
  }
}

/**
 * A phone that is in the state that was told again is no news. Of anything else each occurrence is, unless it repeats one that
 * was told.
 */
function recordUpdate({ at, state, topic, since, device, detail, ...occurrence }: Omit<Occurrence, '_id'>) {
  const isPhone = topic === 'phoneOffline' || topic === 'phoneBack';
  const isRepeated = {
    $and: [{ $eq: ['$told', '$state'] }, { $lt: [at, { $add: ['$at', FLAPPING_MS] }] }],
  };
  const told = isPhone ? { $ifNull: ['$told', 'online'] } : { $cond: [isRepeated, state, '$told'] };
  return [
    { $set: { told } },
    {
      $set: {
        ...literals({ ...occurrence, state, topic, at, since, device, detail }),
        dueAt: { $cond: [{ $eq: ['$told', state] }, '$$REMOVE', { $ifNull: ['$dueAt', at] }] },
        expiresAt: new Date(at.getTime() + KEPT_MS),
      },
    },
  ];
}

/** Values for an update pipeline, in which a text that begins with $ would be a path. */
const literals = (fields: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(fields).map(([field, value]) => [
      field,
      value === undefined ? '$$REMOVE' : { $literal: value },
    ]),
  );
