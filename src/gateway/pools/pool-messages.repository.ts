import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Message } from '../../messages/message.schema';

/** Numbers in a query. */
const CHUNK_SIZE = 500;

/** The messages of pools. */
@Injectable()
export class PoolMessagesRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** Counts the messages that wait in a pool, up to a limit. */
  countWaiting(pool: Types.ObjectId, limit: number): Promise<number> {
    return this.messages.countDocuments({ pool, status: 'pending' }, { limit });
  }

  /**
   * The SIM of the last message to each number, of those that have one since a time, by number.
   * @param sims the SIMs that count.
   */
  async findPreviousSims(
    account: AccountScope,
    sims: readonly Types.ObjectId[],
    numbers: readonly string[],
    since: Date,
  ): Promise<Map<string, string>> {
    const previous = new Map<string, string>();
    for (let start = 0; start < numbers.length; start += CHUNK_SIZE) {
      const found = await this.messages.aggregate<{ _id: string; sim: Types.ObjectId }>([
        {
          $match: {
            user: account.user,
            contactNumber: { $in: numbers.slice(start, start + CHUNK_SIZE) },
            createdAt: { $gte: since },
            sim: { $in: sims },
            direction: 'sent',
            status: { $ne: 'failed' },
          },
        },
        { $sort: { createdAt: -1, _id: -1 } },
        { $group: { _id: '$contactNumber', sim: { $first: '$sim' } } },
      ]);
      for (const { _id, sim } of found) previous.set(_id, sim.toHexString());
    }
    return previous;
  }
}
