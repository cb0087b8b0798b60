import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { PEER_INDEX, Message, QUEUE_INDEX } from '../../messages/message.schema';

/** Numbers in a query. */
const CHUNK_SIZE = 50;

/** The messages of pools. */
@Injectable()
export class PoolMessagesRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** Counts the messages that wait in a pool, up to a limit. */
  countWaiting({ user }: AccountScope, pool: Types.ObjectId, limit: number): Promise<number> {
    return this.messages.countDocuments({ user, pool, status: 'pending' }, { limit, hint: QUEUE_INDEX });
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
    const filter = {
      user: account.user,
      createdAt: { $gte: since },
      sim: { $in: sims },
      direction: 'sent' as const,
      status: { $ne: 'failed' as const },
    };
    const [only, ...others] = numbers;
    if (only !== undefined && others.length === 0) {
      // Reads one message of a number that may have many.
      const last = await this.messages
        .findOne({ ...filter, peerNumber: only }, { sim: 1 })
        .sort({ createdAt: -1, _id: -1 })
        .hint(PEER_INDEX)
        .lean<Pick<Message, 'sim'>>();
      return new Map(last?.sim ? [[only, last.sim.toHexString()]] : []);
    }
    const previous = new Map<string, string>();
    for (let start = 0; start < numbers.length; start += CHUNK_SIZE) {
      const found = await this.messages
        .aggregate<{ _id: string; sim: Types.ObjectId }>([
          { $match: { ...filter, peerNumber: { $in: numbers.slice(start, start + CHUNK_SIZE) } } },
          { $sort: { createdAt: -1, _id: -1 } },
          { $group: { _id: '$peerNumber', sim: { $first: '$sim' } } },
        ])
        // Otherwise DocumentDB reads the whole account in the order of creation.
        .hint(PEER_INDEX);
      for (const { _id, sim } of found) previous.set(_id, sim.toHexString());
    }
    return previous;
  }
}
