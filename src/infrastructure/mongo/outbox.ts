import type { Model, mongo, PipelineStage, Types } from 'mongoose';
import { groupBy } from '../../common/group-by';
import { atOrBefore } from './at-or-before';
import { isMissing } from './exists';
import { byOwnedIds, type OwnedId } from './owned-ids';

/** A document that fails this many batched attempts is relayed in isolation. */
export const MAX_BATCHED_ATTEMPTS = 2;

/** Larger documents are always relayed in isolation. */
const MAX_BATCHED_DOCUMENT_BYTES = 32 * 1024;

const MAX_CLAIM_BYTES = 1024 * 1024;

export interface RelayedEntries<Entry> {
  readonly document: OwnedId;
  readonly entries: readonly Entry[];
}

/** How the entries of an outbox are told apart. */
export interface EntryIdentity<Entry> {
  /** The same text for entries with the same condition. */
  readonly keyOf: (entry: Entry) => string;
  /** Whether `$$entry` is this entry: an aggregation expression. */
  readonly isEntry: (entry: Entry) => object;
}

/** Where a claim starts. */
export interface ClaimPosition {
  /** Due time of the first document. */
  readonly from: Date;
  /** Number of isolated documents due exactly at `from` that were already returned. */
  readonly known: number;
}

export interface ClaimedDocuments<Document> {
  /** To be relayed in one batch. */
  readonly documents: readonly Document[];
  /** Due, but to be relayed in isolation; not claimed. */
  readonly isolated: readonly OwnedId[];
  /** Where the next claim starts. */
  readonly position?: ClaimPosition;
  /** Whether further documents may be due. */
  readonly hasMore: boolean;
}

export interface IsolatedClaim {
  /** Attempts so far, including this one. */
  readonly attempts: number;
  readonly isSetAside: boolean;
}

type Candidate<Document> = Document & {
  readonly _id: Types.ObjectId;
  readonly relayDueAt: Date;
  readonly bytes: number;
};
interface IsolatedCandidate extends OwnedId {
  readonly relayDueAt: Date;
  readonly isIsolated: true;
}

/** A document whose events could not be relayed. */
export interface SetAside extends OwnedId {
  /** Since when. */
  readonly at: Date;
  /** To relay its events. */
  readonly attempts: number;
}

/**
 * The transactional outbox: events stored in the documents of a collection until they are relayed to webhooks. Uses the
 * driver, which returns malformed documents as they are stored; the relay then fails only for those.
 *
 * A document has the field `outbox`, `relayDueAt` while it has entries to relay in a batch, and the other fields of the relay; each of
 * `relayDueAt`, `relayAloneAt` and `relaySetAsideAt` has a partial index.
 */
export abstract class Outbox<Document extends OwnedId, Entry> {
  /** @param bound stage that truncates documents, if they may be of any size. */
  constructor(
    private readonly model: Model<Document>,
    private readonly identity: EntryIdentity<Entry>,
    private readonly bound: readonly PipelineStage[] = [],
  ) {}

  private get documents(): mongo.Collection {
    return this.model.collection;
  }

  /**
   * Claims due documents until `retryAt`, oldest first, up to `limit` and 1 MB, and counts the attempt. If the process
   * dies, they are due again at `retryAt`. Two processes can claim the same documents; relaying is idempotent.
   */
  async claim(
    now: Date,
    retryAt: Date,
    limit: number,
    position?: ClaimPosition,
  ): Promise<ClaimedDocuments<Document>> {
    const count = limit + (position?.known ?? 0);
    const found = await this.listCandidates(now, count, position);
    const { documents, isolated, last, isComplete } = splitCandidates(found);
    if (documents.length > 0) {
      await this.documents.updateMany(
        { ...byOwnedIds(documents), relayDueAt: atOrBefore(now) },
        { $set: { relayDueAt: retryAt }, $inc: { relayAttempts: 1 } },
      );
    }
    const known = isolated.filter(({ relayDueAt }) => relayDueAt.getTime() === last?.getTime()).length;
    return {
      documents,
      isolated: isolated.map(({ _id, user }) => ({ _id, user })),
      position: last ? { from: last, known } : position,
      hasMore: !isComplete || found.length === count,
    };
  }

  /** Documents due to be relayed in isolation, oldest first. */
  async listIsolated(now: Date, limit: number): Promise<OwnedId[]> {
    return this.documents
      .find<OwnedId>({ relayAloneAt: atOrBefore(now) }, { projection: { user: 1 } })
      .sort({ relayAloneAt: 1 })
      .limit(limit)
      .toArray();
  }

  /**
   * Claims a document for an isolated attempt, and counts the attempt. If the process dies, it is due again at `retryAt`,
   * or at `setAsideRetryAt` if it is set aside.
   * @returns null if the document is no longer due.
   */
  async claimIsolated(
    { _id, user }: OwnedId,
    now: Date,
    retryAt: Date,
    setAsideRetryAt: Date,
  ): Promise<IsolatedClaim | null> {
    const claimed = await this.documents.findOneAndUpdate(
      { _id, user, $or: [{ relayDueAt: atOrBefore(now) }, { relayAloneAt: atOrBefore(now) }] },
      [
        {
          $set: {
            relayAttempts: { $add: [{ $ifNull: ['$relayAttempts', 0] }, 1] },
            relayAloneAt: { $cond: [isMissing('$relaySetAsideAt'), retryAt, setAsideRetryAt] },
          },
        },
        { $unset: 'relayDueAt' },
      ],
      { returnDocument: 'after', projection: { relayAttempts: 1, relaySetAsideAt: 1 } },
    );
    if (!claimed) return null;
    return { attempts: Number(claimed.relayAttempts), isSetAside: claimed.relaySetAsideAt !== undefined };
  }

  /** Finds a document, truncated if it may be of any size. */
  async findBounded({ _id, user }: OwnedId): Promise<Document | undefined> {
    const [document] = await this.documents
      .aggregate<Document & mongo.Document>([{ $match: { _id, user } }, ...this.bound])
      .toArray();
    return document;
  }

  async retryIsolated(id: OwnedId, at: Date): Promise<void> {
    await this.updateIsolated(id, { $set: { relayAloneAt: at } });
  }

  /** Schedules the next isolated attempt, and does not count the current one. */
  async retryUncounted(id: OwnedId, at: Date): Promise<void> {
    await this.updateIsolated(id, { $set: { relayAloneAt: at }, $inc: { relayAttempts: -1 } });
  }

  /** Sets a document aside until its next attempt. */
  async setAside(id: OwnedId, now: Date, until: Date): Promise<void> {
    await this.updateIsolated(id, { $set: { relaySetAsideAt: now, relayAloneAt: until } });
  }

  /** Makes all documents that are set aside due now. @returns their number. */
  async retrySetAside(now: Date): Promise<number> {
    const result = await this.documents.updateMany(
      { relaySetAsideAt: atOrBefore(now) },
      { $set: { relayAloneAt: now } },
    );
    return result.matchedCount;
  }

  /** Documents that are set aside, the longest first. */
  async listSetAside(now: Date, limit: number): Promise<SetAside[]> {
    const found = await this.documents
      .find<OwnedId & { relaySetAsideAt: Date; relayAttempts?: number }>(
        { relaySetAsideAt: atOrBefore(now) },
        { projection: { user: 1, relaySetAsideAt: 1, relayAttempts: 1 } },
      )
      .sort({ relaySetAsideAt: 1 })
      .limit(limit)
      .toArray();
    return found.map(({ _id, user, relaySetAsideAt: at, relayAttempts: attempts = 0 }) => ({
      _id,
      user,
      at,
      attempts,
    }));
  }

  /** Counts the documents that are set aside, up to `limit`. */
  countSetAside(now: Date, limit: number): Promise<number> {
    return this.documents.countDocuments({ relaySetAsideAt: atOrBefore(now) }, { limit });
  }

  /** Removes relayed entries and resets the attempts. Entries raised in the meantime are due now. */
  async removeEntries(relayed: readonly RelayedEntries<Entry>[], now: Date): Promise<void> {
    await this.updateRelayed(relayed, [updateDueTime(now), { $unset: RETRY_FIELDS }]);
  }

  /** Removes relayed entries of documents whose other entries could not be relayed. */
  async removeEntriesPartially(relayed: readonly RelayedEntries<Entry>[]): Promise<void> {
    await this.updateRelayed(relayed, []);
  }

  /** The earliest due time; undefined if nothing is due. */
  async findOldestDueTime(now: Date): Promise<Date | undefined> {
    const times: Date[] = [];
    for (const field of ['relayDueAt', 'relayAloneAt']) {
      const query = this.documents.find({ [field]: atOrBefore(now) }, { projection: { [field]: 1 } });
      const [first] = await query
        .sort({ [field]: 1 })
        .limit(1)
        .toArray();
      if (first?.[field] instanceof Date) times.push(first[field]);
    }
    return times.sort((one, other) => one.getTime() - other.getTime())[0];
  }

  /** Whether any event was due at or before `since`. */
  async isOverdue(since: Date): Promise<boolean> {
    const exists = async (condition: object) =>
      (await this.documents.findOne(condition, { projection: { _id: 1 } })) !== null;
    return (await exists({ relayDueAt: atOrBefore(since) })) || exists({ relayAloneAt: atOrBefore(since) });
  }

  /** Removes the entries. Most documents have the same ones, so one update removes them from all. */
  private async updateRelayed(
    relayed: readonly RelayedEntries<Entry>[],
    furtherStages: readonly mongo.Document[],
  ): Promise<void> {
    const groups = groupBy(relayed, ({ entries }) => entries.map(this.identity.keyOf).join('\n'));
    for (const group of groups.values()) {
      const stage = withoutEntries(group[0]?.entries ?? [], this.identity);
      await this.documents.updateMany(byOwnedIds(group.map(({ document }) => document)), [
        stage,
        ...furtherStages,
      ]);
    }
  }

  private async updateIsolated(
    { _id, user }: OwnedId,
    update: mongo.UpdateFilter<mongo.Document>,
  ): Promise<void> {
    await this.documents.updateOne({ _id, user, relayAloneAt: { $exists: true } }, update);
  }

  /** Due documents, oldest first; of those to be relayed in isolation only the id and the due time. */
  private listCandidates(now: Date, limit: number, position?: ClaimPosition) {
    return this.documents
      .aggregate<Candidate<Document> | IsolatedCandidate>([
        { $match: { relayDueAt: { ...atOrBefore(now), ...(position && { $gte: position.from }) } } },
        { $sort: { relayDueAt: 1 } },
        { $limit: limit },
        { $set: { bytes: { $bsonSize: '$$ROOT' } } },
        {
          $replaceWith: {
            $cond: [
              IS_BATCHABLE,
              '$$ROOT',
              { _id: '$_id', user: '$user', relayDueAt: '$relayDueAt', isIsolated: true },
            ],
          },
        },
      ])
      .toArray();
  }
}

const IS_BATCHABLE = {
  $and: [
    { $lte: ['$bytes', MAX_BATCHED_DOCUMENT_BYTES] },
    { $lt: [{ $ifNull: ['$relayAttempts', 0] }, MAX_BATCHED_ATTEMPTS] },
  ],
};

const RETRY_FIELDS = ['relayAttempts', 'relayAloneAt', 'relaySetAsideAt'];

/** Splits candidates into those to relay in one batch, up to 1 MB, and those to relay in isolation. */
function splitCandidates<Document>(found: readonly (Candidate<Document> | IsolatedCandidate)[]) {
  const documents: Candidate<Document>[] = [];
  const isolated: IsolatedCandidate[] = [];
  let bytes = 0;
  let last: Date | undefined;
  for (const one of found) {
    if (isIsolated(one)) isolated.push(one);
    else {
      bytes += one.bytes;
      if (bytes > MAX_CLAIM_BYTES) return { documents, isolated, last, isComplete: false };
      documents.push(one);
    }
    last = one.relayDueAt;
  }
  return { documents, isolated, last, isComplete: true };
}

function isIsolated(candidate: object): candidate is IsolatedCandidate {
  return 'isIsolated' in candidate;
}

const updateDueTime = (now: Date): PipelineStage.Set => ({
  $set: { relayDueAt: { $cond: [{ $eq: ['$outbox', []] }, '$$REMOVE', now] } },
});

function withoutEntries<Entry>(
  entries: readonly Entry[],
  { isEntry }: EntryIdentity<Entry>,
): PipelineStage.Set {
  const remaining = {
    $filter: { input: '$outbox', as: 'entry', cond: { $not: [{ $or: entries.map(isEntry) }] } },
  };
  return { $set: { outbox: { $cond: [{ $isArray: '$outbox' }, remaining, '$outbox'] } } };
}
