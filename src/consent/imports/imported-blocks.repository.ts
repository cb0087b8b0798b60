import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { writeUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { ConsentRecord } from '../records/consent-record.schema';
import { type ImportedRow, Suppression } from '../suppressions/suppression.schema';

/** A record of a row of a file. */
export type ImportedRecord = Omit<ConsentRecord, '_id' | 'user' | 'uploadKey'> &
  Required<Pick<ConsentRecord, 'uploadKey'>>;

/** A block that a row of a file sets. */
export type ImportedBlock = Pick<Suppression, 'numberKey' | 'number' | 'topic' | 'covers' | 'at'> & {
  readonly imported: ImportedRow;
};

/** Writes blocks and their records in large numbers. */
@Injectable()
export class ImportedBlocksRepository {
  constructor(
    @InjectModel(ConsentRecord.name) private readonly records: Model<ConsentRecord>,
    @InjectModel(Suppression.name) private readonly suppressions: Model<Suppression>,
  ) {}

  /** Adds records, each once. */
  async addRecords({ user }: AccountScope, records: readonly ImportedRecord[]): Promise<void> {
    await writeUnlessDuplicate(
      this.records.collection,
      records.map((record) => ({
        updateOne: {
          filter: { user, uploadKey: record.uploadKey },
          update: { $setOnInsert: { _id: new Types.ObjectId(), user, ...record } },
          upsert: true,
        },
      })),
    );
  }

  /** Blocks numbers, unless a later decision lifts that. What is out already stays as it is, with the later time. */
  async block({ user }: AccountScope, blocks: readonly ImportedBlock[]): Promise<void> {
    const writes = blocks.flatMap(({ numberKey, topic, at, ...said }) => {
      const place = { user, numberKey, topic };
      const weaker = { $or: [{ state: 'lifted', at: { $lte: at } }, { state: 'held' }] };
      const decision = { ...said, state: 'out', source: 'import' };
      return [
        {
          updateOne: {
            filter: { ...place, ...weaker },
            update: { $set: decision, $max: { at }, $unset: { words: 1, message: 1, reason: 1, heldAt: 1 } },
            upsert: true,
          },
        },
        { updateOne: { filter: { ...place, state: 'out', at: { $lt: at } }, update: { $max: { at } } } },
      ];
    });
    await writeUnlessDuplicate(this.suppressions.collection, writes);
  }

  /** Lifts those of these blocks that still are as an import set them. */
  async lift(
    { user }: AccountScope,
    ids: readonly Types.ObjectId[],
    importId: Types.ObjectId,
    at: Date,
  ): Promise<void> {
    await this.suppressions.updateMany(
      { _id: { $in: ids }, user, state: 'out', source: 'import', 'imported.import': importId },
      { $set: { state: 'lifted' }, $max: { at } },
    );
  }

  /**
   * Of numbers, those that somebody blocked after they were lifted last, in another way than by an import.
   * @returns their keys.
   */
  async listOtherwiseBlocked(
    { user }: AccountScope,
    numberKeys: readonly string[],
    topic: string,
    importId: Types.ObjectId,
  ): Promise<ReadonlySet<string>> {
    const timeOf = (states: readonly string[]) => ({
      $max: { $cond: [{ $in: ['$state', states] }, '$at', null] },
    });
    const found = await this.records.aggregate<{
      readonly _id: string;
      readonly blockedAt: Date | null;
      readonly liftedAt: Date | null;
    }>([
      { $match: { user, numberKey: { $in: numberKeys }, topic, importId: { $ne: importId } } },
      { $group: { _id: '$numberKey', blockedAt: timeOf(['out', 'held']), liftedAt: timeOf(['in']) } },
    ]);
    const areBlocked = found.filter(
      ({ blockedAt, liftedAt }) => blockedAt !== null && (liftedAt === null || liftedAt < blockedAt),
    );
    return new Set(areBlocked.map(({ _id }) => _id));
  }
}
