import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { isDuplicateKey } from '../../infrastructure/mongo/duplicate-key';
import { Removal } from './removal.schema';

const idOf = (kind: string, user: Types.ObjectId): string => `${kind}:${user.toHexString()}`;

@Injectable()
export class RemovalsRepository {
  constructor(@InjectModel(Removal.name) private readonly removals: Model<Removal>) {}

  /** Writes a chunk down. @returns null when another one of the account is under way. */
  async begin(
    kind: string,
    user: Types.ObjectId,
    ids: Types.ObjectId[],
    until: Date,
  ): Promise<Removal | null> {
    const removal: Removal = { _id: idOf(kind, user), kind, user, chunk: new Types.ObjectId(), ids, until };
    try {
      await this.removals.insertMany([removal], { lean: true });
      return removal;
    } catch (failure) {
      if (isDuplicateKey(failure)) return null;
      throw failure;
    }
  }

  /**
   * Writes down what the chunk is in the end and adds to which base, unless that stands already.
   * @returns the removal as it stands, or null when it is done.
   */
  async decide({ _id, chunk }: Removal, ids: Types.ObjectId[], tally: object): Promise<Removal | null> {
    await this.removals.updateOne({ _id, chunk, tally: { $exists: false } }, { $set: { ids, tally } });
    return this.removals.findOne({ _id, chunk }).lean<Removal>();
  }

  async finish({ _id, chunk }: Removal): Promise<void> {
    await this.removals.deleteOne({ _id, chunk });
  }

  async isUnderWay(kind: string, user: Types.ObjectId): Promise<boolean> {
    return (await this.removals.exists({ _id: idOf(kind, user) })) !== null;
  }

  /** Takes over a removal whose process has died. @returns null when there is none. */
  takeOverDead(kind: string, until: Date, now: Date): Promise<Removal | null> {
    return this.removals
      .findOneAndUpdate(
        { kind, until: { $lte: now } },
        { $set: { until } },
        { sort: { until: 1 }, returnDocument: 'after' },
      )
      .lean<Removal>();
  }
}
