import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { upsertWithRetry } from '../../infrastructure/mongo/duplicate-key';
import { earlierThan, type Position } from '../../messages/lists/message-cursor';
import { ALL_TOPICS, ConsentRecord } from './consent-record.schema';

export type NewConsentRecord = Omit<ConsentRecord, '_id' | 'user'>;

@Injectable()
export class ConsentRecordsRepository {
  constructor(@InjectModel(ConsentRecord.name) private readonly records: Model<ConsentRecord>) {}

  /** Adds a record; of a text, unless it has one. @returns the stored record. */
  async add({ user }: AccountScope, record: NewConsentRecord): Promise<ConsentRecord> {
    const { uploadKey } = record;
    const added: ConsentRecord = { _id: new Types.ObjectId(), user, ...record };
    if (uploadKey === undefined) {
      await this.records.insertMany([added], { lean: true });
      return added;
    }
    return upsertWithRetry(() =>
      this.records
        .findOneAndUpdate(
          { user, uploadKey },
          { $setOnInsert: added },
          { upsert: true, returnDocument: 'after' },
        )
        .lean<ConsentRecord>(),
    );
  }

  /** Lists records, the latest first. @param numberKeys only those of these numbers. */
  list(
    { user }: AccountScope,
    numberKeys: readonly string[] | undefined,
    after: Position | undefined,
    limit: number,
  ): Promise<ConsentRecord[]> {
    return this.records
      .find({
        user,
        ...(numberKeys && { numberKey: { $in: numberKeys } }),
        ...(after && earlierThan<ConsentRecord>('at', after)),
      })
      .sort({ at: -1, _id: -1 })
      .limit(limit)
      .lean<ConsentRecord[]>();
  }

  /** The last record by which sends of a topic to a number were stopped at a time. */
  findDecisive(
    { user }: AccountScope,
    numberKey: string,
    topic: string | undefined,
    at: Date,
  ): Promise<ConsentRecord | null> {
    return this.records
      .findOne({
        ...{ user, numberKey },
        at: { $lte: at },
        state: { $in: ['out', 'held'] },
        topic: { $in: [ALL_TOPICS, ...(topic === undefined ? [] : [topic])] },
      })
      .sort({ at: -1, _id: -1 })
      .lean<ConsentRecord>();
  }
}
