import { Injectable, Logger } from '@nestjs/common';
import { InjectConnection } from '@nestjs/mongoose';
import { Interval } from '@nestjs/schedule';
import { Connection, mongo } from 'mongoose';
import { OperatorError } from '../../common/errors';
import { formatError } from '../../common/format-error';
import { declaredIndexes, idOf, formatIndexKey, type ManagedIndex } from './managed-index';
import { upsertWithRetry } from './duplicate-key';
import { RETIRED_INDEXES } from './retired-indexes';
import { DAY_MS, HOUR_MS } from '../../common/durations';

const DECLARE_EVERY_MS = HOUR_MS;
const UNUSED_AFTER_MS = 7 * DAY_MS;

/** MongoDB error codes. */
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;
const INDEX_CONFLICTS = [85, 86];

const DECLARED = { $currentDate: { declaredAt: true } } as const;

interface IndexRecord extends ManagedIndex {
  /** `<collection>.<name>` */
  readonly _id: string;
  /** When a process last declared it, by the database's clock. */
  readonly declaredAt: Date;
}

/** An index has a new key or new options under its old name. */
export class IndexChanged extends OperatorError {
  constructor(collection: string, reason: string) {
    super(
      `An index of ${collection} differs from the stored index of the same name; give it a new name in its schema: ${reason}`,
    );
  }
}

/**
 * Creates the indexes of the schemas, and drops those that no process of any version has declared for seven days: every process
 * records its declared indexes hourly. Indexes without a record, such as an operator's, are never dropped.
 */
@Injectable()
export class Indexes {
  private readonly logger = new Logger(Indexes.name);

  constructor(@InjectConnection() private readonly connection: Connection) {}

  /**
   * Creates declared indexes that are missing, and records all of them.
   * @throws IndexChanged
   */
  async declare(): Promise<void> {
    const models = Object.values(this.connection.models);
    await this.record(models.flatMap(declaredIndexes));
    for (const model of models) {
      try {
        await this.createIndexes(model);
      } catch (failure) {
        if (!hasCode(failure, INDEX_CONFLICTS)) throw failure;
        throw new IndexChanged(model.collection.name, formatError(failure));
      }
    }
  }

  /** Never throws; the next run retries. */
  @Interval(DECLARE_EVERY_MS)
  async renew(): Promise<void> {
    await this.declare().catch((failure: unknown) => {
      this.logger.warn(`Indexes were not declared; retrying in an hour: ${formatError(failure)}`);
    });
  }

  /**
   * Drops recorded indexes that no process has declared for `unusedMs`.
   * @returns the dropped indexes as `<collection>.<name>`.
   */
  async dropUnused(
    unusedMs: number = UNUSED_AFTER_MS,
    retired: readonly ManagedIndex[] = RETIRED_INDEXES,
  ): Promise<string[]> {
    await this.recordRetired(retired);
    const isUnused = { $expr: { $lt: ['$declaredAt', { $subtract: ['$$NOW', unusedMs] }] } };
    const dropped: string[] = [];
    for (const record of await this.records.find(isUnused).toArray()) {
      // Again, because a process that has just started may have declared it.
      if (!(await this.records.findOne({ _id: record._id, ...isUnused }))) continue;
      if (await this.drop(record)) {
        dropped.push(record._id);
        this.logger.log(`Dropped the index ${record._id}: no process has declared it for seven days`);
      }
      await this.records.deleteOne({ _id: record._id, ...isUnused });
    }
    return dropped;
  }

  /** With one command, where Mongoose sends one for each index. */
  private async createIndexes({ collection, schema }: Connection['models'][string]): Promise<void> {
    const indexes = schema.indexes().map(([key, options]) => ({ ...options, key }) as mongo.IndexDescription);
    if (indexes.length > 0) await this.db.collection(collection.name).createIndexes(indexes);
  }

  private async record(indexes: readonly ManagedIndex[]): Promise<void> {
    const ids = indexes.map(idOf);
    const { matchedCount } = await this.records.updateMany({ _id: { $in: ids } }, DECLARED);
    if (matchedCount < ids.length) await this.insertRecords(indexes);
  }

  /** Records the existing indexes of versions before 1.0.0 as if they were declared now. */
  private async recordRetired(retired: readonly ManagedIndex[]): Promise<void> {
    const recorded = await this.records.distinct('_id', { _id: { $in: retired.map(idOf) } });
    const found: ManagedIndex[] = [];
    for (const index of retired) {
      if (!recorded.includes(idOf(index)) && (await this.exists(index))) found.push(index);
    }
    await this.insertRecords(found);
  }

  private async insertRecords(indexes: readonly ManagedIndex[]): Promise<void> {
    if (indexes.length === 0) return;
    const upserts = indexes.map((index) => {
      const { collection, name, key } = index;
      const update = { $setOnInsert: { collection, name, key }, ...DECLARED };
      return { updateOne: { filter: { _id: idOf(index) }, update, upsert: true } };
    });
    await upsertWithRetry(() => this.records.bulkWrite(upserts, { ordered: false }));
  }

  /** Does not drop an index of the same name with another key. */
  private async drop(index: ManagedIndex): Promise<boolean> {
    if (!(await this.exists(index))) return false;
    try {
      await this.db.collection(index.collection).dropIndex(index.name);
      return true;
    } catch (failure) {
      if (hasCode(failure, [INDEX_NOT_FOUND, NAMESPACE_NOT_FOUND])) return false;
      throw failure;
    }
  }

  private async exists({ collection, name, key }: ManagedIndex): Promise<boolean> {
    try {
      const existing = await this.db.collection(collection).indexes();
      return existing.some((each) => each.name === name && formatIndexKey(each.key) === key);
    } catch (failure) {
      if (hasCode(failure, [NAMESPACE_NOT_FOUND])) return false;
      throw failure;
    }
  }

  private get db(): mongo.Db {
    return this.connection.getClient().db(this.connection.name);
  }

  private get records(): mongo.Collection<IndexRecord> {
    return this.db.collection('indexes');
  }
}

function hasCode(failure: unknown, codes: readonly number[]): boolean {
  return failure instanceof mongo.MongoServerError && codes.includes(Number(failure.code));
}
