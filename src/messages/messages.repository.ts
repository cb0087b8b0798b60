import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Gathering } from '../common/gathering';
import { isDuplicateKey } from '../common/persistence/duplicate-key';
import { insertEach } from '../common/persistence/insert-each';
import { BOUNDED_MESSAGE } from './bounded-message';
import { Message } from './message.schema';
import type { MessageStatus } from './message-status';

/** The messages a phone may be offered, by when their offer ends. */
export interface OfferWindow {
  readonly endsAfter: Date;
  readonly endsBy: Date;
}

/** So many messages of one send are stored together with those of others. */
const FEW = 20;

/** Messages of one send. */
const MAX_BATCH_SIZE = 10_000;

/** Messages as their owner and their phone see them. Dispatch and reports have repositories of their own. */
@Injectable()
export class MessagesRepository {
  private readonly fewAtOnce = new Gathering(async (asked: readonly (readonly Message[])[]) => {
    const faults = await insertEach(this.messages, asked.flat());
    let end = 0;
    return asked.map(({ length }) => {
      const fault = faults.slice(end, (end += length)).find((one) => one);
      return fault && Promise.reject(fault);
    });
  });

  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** Stores messages; their ids were made beforehand. */
  async insert(messages: Message[]): Promise<void> {
    if (messages.length <= FEW) return this.fewAtOnce.ask(messages);
    const fault = (await insertEach(this.messages, messages)).find((one) => one);
    if (fault) throw fault;
  }

  /** Stores an incoming message. @returns the one stored before when it is the same upload. */
  async insertReceived(
    account: AccountScope,
    message: Message & { fingerprint: string },
  ): Promise<{ stored: boolean; id: Types.ObjectId }> {
    try {
      await this.messages.insertMany([message], { lean: true });
      return { stored: true, id: message._id };
    } catch (failure) {
      if (!isDuplicateKey(failure)) throw failure;
      const known = await this.messages
        .findOne({ user: account.user, device: message.device, fingerprint: message.fingerprint }, { _id: 1 })
        .lean<Pick<Message, '_id'>>();
      if (!known) throw failure;
      return { stored: false, id: known._id };
    }
  }

  async find(account: AccountScope, device: Types.ObjectId, id: Types.ObjectId): Promise<Message | null> {
    const [message] = await this.messages.aggregate<Message>([
      { $match: { _id: id, user: account.user, device } },
      BOUNDED_MESSAGE,
    ]);
    return message ?? null;
  }

  /**
   * A batch's messages in the order of its recipients.
   * @param after the message of the batch before the first.
   */
  listOfBatch(
    account: AccountScope,
    batch: Types.ObjectId,
    after?: Pick<Message, '_id' | 'wave'>,
    limit = MAX_BATCH_SIZE,
  ): Promise<Message[]> {
    return this.messages.aggregate<Message>([
      { $match: { smsBatch: batch, user: account.user, ...(after && comesAfter(after)) } },
      { $sort: { wave: 1, _id: 1 } },
      { $limit: limit },
      BOUNDED_MESSAGE,
    ]);
  }

  /** Notes that the phone has these messages, and stops offering them. */
  async acknowledge(
    account: AccountScope,
    device: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
  ): Promise<number> {
    const result = await this.messages.updateMany(
      { _id: { $in: ids }, user: account.user, device, direction: 'sent' },
      [{ $set: { pushReceivedAt: { $ifNull: ['$pushReceivedAt', now] } } }, { $unset: 'offerUntil' }],
      { updatePipeline: true },
    );
    return result.matchedCount;
  }

  /** What a phone was handed but has neither acknowledged nor reported, oldest first. */
  listOffered(device: Types.ObjectId, window: OfferWindow, limit: number): Promise<Message[]> {
    return this.messages.find(offered(device, window)).sort({ offerUntil: 1 }).limit(limit).lean<Message[]>();
  }

  /** The messages a phone is asked not to send and has not answered for, oldest first. */
  async listCancelRequested(
    device: Types.ObjectId,
    { endsAfter, endsBy }: OfferWindow,
    limit: number,
  ): Promise<Types.ObjectId[]> {
    const found = await this.messages
      .find(
        {
          ...offered(device, { endsAfter, endsBy }),
          cancelRequestedAt: { $exists: true },
        },
        { _id: 1 },
      )
      .sort({ offerUntil: 1 })
      .limit(limit)
      .lean();
    return found.map(({ _id }) => _id);
  }

  countOffered(device: Types.ObjectId, window: OfferWindow): Promise<number> {
    return this.messages.countDocuments(offered(device, window));
  }
}

function offered(device: Types.ObjectId, { endsAfter, endsBy }: OfferWindow) {
  return {
    device,
    offerUntil: { $gt: endsAfter, $lte: endsBy },
    // Pending is what is being pushed at this moment.
    status: { $in: ['pending', 'dispatched', 'unknown'] as MessageStatus[] },
    // Of these the phone is asked not to send them.
    cancelRequestedAt: { $exists: false },
  };
}

/** The bound of the wave stands outside the `$or`, where the index can begin at it. */
function comesAfter({ _id, wave }: Pick<Message, '_id' | 'wave'>) {
  return wave === undefined
    ? { $or: [{ wave: { $exists: true } }, { _id: { $gt: _id } }] }
    : { wave: { $gte: wave }, $or: [{ wave: { $gt: wave } }, { _id: { $gt: _id } }] };
}
