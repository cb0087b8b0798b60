import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Batcher, latestOf } from '../common/batcher';
import { isDuplicateKey } from '../infrastructure/mongo/duplicate-key';
import { insertManyUnordered, upsertManyUnordered } from '../infrastructure/mongo/unordered-writes';
import { COUNTING_WRITE_TIMEOUT_MS } from '../maintenance/rollups/periods';
import { BOUNDED_MESSAGE } from './lists/bounded-message';
import { Message, OutgoingMessage } from './message.schema';
import type { MessageStatus } from './message-status';
import { idsOf } from '../common/documents';

/** Messages are redelivered if their `offerUntil` is after `now`, and at most this late: so they were not pushed too recently. */
export interface RedeliveryWindow {
  readonly now: Date;
  readonly latestOfferUntil: Date;
}

/** Sends and acknowledgements of up to this many messages are written together with others. */
const MAX_BATCHED_MESSAGES = 20;

const EPOCH = new Date(0);

/** An incoming message with the fingerprint that recognises repeated uploads. */
export type ReceivedMessage = Message & { readonly fingerprint: string };

interface Acknowledgement {
  readonly sentBy: Pick<Message, 'user' | 'device'>;
  readonly ids: readonly Types.ObjectId[];
  readonly now: Date;
}

@Injectable()
export class MessagesRepository {
  private readonly insertBatcher = new Batcher(async (sends: readonly (readonly Message[])[]) => {
    const errors = await insertManyUnordered(this.messages, sends.flat());
    let end = 0;
    return sends.map(({ length }) => {
      const error = errors.slice(end, (end += length)).find((each) => each);
      return error && Promise.reject(error);
    });
  });

  private readonly receivedBatcher = new Batcher(async (messages: readonly ReceivedMessage[]) => {
    // An insert cannot use the time of the database. After an upsert by pipeline, DocumentDB sorts lists in memory.
    const updates = messages.map(({ _id, countedAt: _, ...fields }) => ({
      filter: { _id },
      update: { $setOnInsert: fields, $currentDate: { countedAt: true as const } },
    }));
    const failures = await upsertManyUnordered(this.messages, updates, COUNTING_WRITE_TIMEOUT_MS);
    return failures.map((failure) => failure && Promise.reject(failure));
  });

  private readonly acknowledgementBatcher = new Batcher((acknowledgements: readonly Acknowledgement[]) =>
    this.writeAcknowledgements(acknowledgements),
  );

  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  async insert(messages: Message[]): Promise<void> {
    if (messages.length <= MAX_BATCHED_MESSAGES) return this.insertBatcher.submit(messages);
    const error = (await insertManyUnordered(this.messages, messages)).find((each) => each);
    if (error) throw error;
  }

  /** Stores and counts an incoming message. @returns its id; if it was uploaded before, that of the stored message. */
  async insertReceived(
    account: AccountScope,
    message: ReceivedMessage,
  ): Promise<{ isNew: boolean; id: Types.ObjectId }> {
    try {
      await this.receivedBatcher.submit(message);
      return { isNew: true, id: message._id };
    } catch (failure) {
      if (!isDuplicateKey(failure)) throw failure;
      const known = await this.messages
        .findOne({ user: account.user, device: message.device, fingerprint: message.fingerprint }, { _id: 1 })
        .lean<Pick<Message, '_id'>>();
      if (!known) throw failure;
      return { isNew: false, id: known._id };
    }
  }

  /** @param device only a message of this device; absent: of any. */
  async find({ user }: AccountScope, id: Types.ObjectId, device?: Types.ObjectId): Promise<Message | null> {
    const [message] = await this.messages.aggregate<Message>([
      { $match: { _id: id, user, ...(device && { device }), deletedAt: { $exists: false } } },
      BOUNDED_MESSAGE,
    ]);
    return message ?? null;
  }

  /**
   * Lists the messages of a batch in the order of its waves.
   * @param after the last message of the page before.
   */
  listByBatch(
    account: AccountScope,
    batch: Types.ObjectId,
    after: Pick<Message, '_id' | 'wave'> | undefined,
    limit: number,
  ): Promise<Message[]> {
    return this.messages.aggregate<Message>([
      { $match: { smsBatch: batch, user: account.user, ...(after && comesAfter(after)) } },
      { $sort: { wave: 1, _id: 1 } },
      { $limit: limit },
      BOUNDED_MESSAGE,
    ]);
  }

  async removeOfBatch(batch: Types.ObjectId): Promise<void> {
    await this.messages.deleteMany({ smsBatch: batch });
  }

  /**
   * Marks messages as received by the phone, which ends their redelivery. Acknowledgements that arrive together are
   * written together.
   * @param ids distinct ids.
   * @returns how many are messages sent by the device.
   */
  async acknowledge(
    account: AccountScope,
    device: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
  ): Promise<number> {
    const acknowledgement = { sentBy: { user: account.user, device }, ids, now };
    if (ids.length <= MAX_BATCHED_MESSAGES) return this.acknowledgementBatcher.submit(acknowledgement);
    return (await this.writeAcknowledgements([acknowledgement]))[0] ?? 0;
  }

  /**
   * Lists messages that the phone has neither acknowledged nor reported, oldest first.
   * @param except messages that are left out.
   */
  listRedeliverable(
    device: Types.ObjectId,
    window: RedeliveryWindow,
    limit: number,
    except: readonly Types.ObjectId[] = [],
  ): Promise<OutgoingMessage[]> {
    return this.messages
      .find({ ...redeliverable(device, window), ...(except.length > 0 && { _id: { $nin: except } }) })
      .sort({ offerUntil: 1 })
      .limit(limit)
      .lean<OutgoingMessage[]>();
  }

  /** Lists messages with a cancellation request that the phone has not answered, oldest first. */
  async listCancelRequested(
    device: Types.ObjectId,
    window: RedeliveryWindow,
    limit: number,
  ): Promise<Types.ObjectId[]> {
    const found = await this.messages
      .find({ ...unacknowledged(device, window), cancelRequestedAt: { $exists: true } }, { _id: 1 })
      .sort({ offerUntil: 1 })
      .limit(limit)
      .lean();
    return idsOf(found);
  }

  /** Counts pending messages of all accounts, up to `limit`. */
  countPending(limit: number): Promise<number> {
    return this.messages.countDocuments({ status: 'pending', nextDispatchAt: { $gt: EPOCH } }, { limit });
  }

  /** Counts messages of all accounts that were dispatched and not reported on, up to `limit`. */
  countDispatched(limit: number): Promise<number> {
    return this.messages.countDocuments({ status: 'dispatched', dispatchedAt: { $gt: EPOCH } }, { limit });
  }

  countRedeliverable(device: Types.ObjectId, window: RedeliveryWindow): Promise<number> {
    return this.messages.countDocuments(redeliverable(device, window));
  }

  private async writeAcknowledgements(acknowledgements: readonly Acknowledgement[]): Promise<number[]> {
    const { now } = latestOf(acknowledgements);
    const conditions = acknowledgements.map(({ sentBy, ids }) => ({
      ...sentBy,
      _id: { $in: ids },
      direction: 'sent' as const,
    }));
    const ids = acknowledgements.flatMap((each) => each.ids);
    const { matchedCount } = await this.messages.updateMany(
      { _id: { $in: ids }, $or: conditions },
      [{ $set: { pushReceivedAt: { $ifNull: ['$pushReceivedAt', now] } } }, { $unset: 'offerUntil' }],
      { updatePipeline: true },
    );
    if (matchedCount === ids.length) return acknowledgements.map((each) => each.ids.length);
    return Promise.all(conditions.map((condition) => this.messages.countDocuments(condition)));
  }
}

function redeliverable(device: Types.ObjectId, window: RedeliveryWindow) {
  return {
    ...unacknowledged(device, window),
    cancelRequestedAt: { $exists: false },
    validUntil: { $not: { $lte: window.now } },
  };
}

function unacknowledged(device: Types.ObjectId, { now, latestOfferUntil }: RedeliveryWindow) {
  return {
    device,
    offerUntil: { $gt: now, $lte: latestOfferUntil },
    // Pending messages with `offerUntil` are being pushed.
    status: { $in: ['pending', 'dispatched', 'unknown'] as MessageStatus[] },
  };
}

/** The `wave` bound is outside the `$or` because only there it limits the index scan. */
function comesAfter({ _id, wave }: Pick<Message, '_id' | 'wave'>) {
  return wave === undefined
    ? { $or: [{ wave: { $exists: true } }, { _id: { $gt: _id } }] }
    : { wave: { $gte: wave }, $or: [{ wave: { $gt: wave } }, { _id: { $gt: _id } }] };
}
