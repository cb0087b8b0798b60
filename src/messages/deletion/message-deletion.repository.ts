import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Batch, VISIBLE_BATCH } from '../batch.schema';
import { BATCH_INDEX, Message, PEER_INDEX } from '../message.schema';
import { UNSETTLED_STATUSES } from '../message-status';
import { idsOf } from '../../common/documents';

const CHUNK_SIZE = 1_000;
const DELETABLE = {
  deletedAt: { $exists: false },
  status: { $nin: [...UNSETTLED_STATUSES] },
} satisfies QueryFilter<Message>;

type StoredMessage = Pick<Message, '_id' | 'smsBatch' | 'status' | 'deletedAt' | 'peerNumber'>;

/** Erases the content of messages and batches, and hides them. */
@Injectable()
export class MessageDeletionRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
  ) {}

  /** Finds a message, deleted or not, until retention removes it. */
  find({ user }: AccountScope, id: Types.ObjectId): Promise<StoredMessage | null> {
    return this.messages
      .findOne({ _id: id, user }, { smsBatch: 1, status: 1, deletedAt: 1, peerNumber: 1 })
      .lean<StoredMessage>();
  }

  async hasUnsettled(account: AccountScope, device: Types.ObjectId): Promise<boolean> {
    const unsettled = { user: account.user, device, status: { $in: [...UNSETTLED_STATUSES] } };
    return (await this.messages.exists(unsettled)) !== null;
  }

  /** @returns false if the message is not settled, or is deleted already. */
  async erase(account: AccountScope, id: Types.ObjectId, now: Date): Promise<boolean> {
    const result = await this.messages.updateOne(
      { _id: id, user: account.user, ...DELETABLE },
      messageErasure(now),
    );
    return result.matchedCount === 1;
  }

  /**
   * Erases all settled messages of a device, and the batches of which no other device carries messages.
   * @param aroundChunk called with the numbers of messages before and after they are erased: a conversation may be created in between.
   */
  async eraseOfDevice(
    account: AccountScope,
    device: Types.ObjectId,
    now: Date,
    aroundChunk: (numbers: readonly string[]) => Promise<void>,
  ): Promise<void> {
    const condition = { user: account.user, device, ...DELETABLE };
    for (;;) {
      const found = await this.messages.find(condition, { peerNumber: 1 }).limit(CHUNK_SIZE).lean();
      if (found.length === 0) break;
      const numbers = [...new Set(found.map(({ peerNumber }) => peerNumber))];
      await aroundChunk(numbers);
      await this.messages.updateMany({ ...condition, _id: { $in: idsOf(found) } }, messageErasure(now));
      await aroundChunk(numbers);
    }
    const shown = { user: account.user, ...VISIBLE_BATCH };
    // Other phones may carry messages of a batch, too.
    await this.batches.updateMany(
      { ...shown, devices: device },
      { $pull: { devices: device }, $unset: { recipientPreview: 1 }, $set: { updatedAt: now } },
    );
    await this.batches.updateMany(
      { ...shown, $or: [{ device, devices: { $exists: false } }, { devices: { $size: 0 } }] },
      batchErasure(now),
    );
  }

  async hasUnsettledWith({ user }: AccountScope, number: string): Promise<boolean> {
    const unsettled = { user, peerNumber: number, status: { $in: [...UNSETTLED_STATUSES] } };
    return (await this.messages.findOne(unsettled, { _id: 1 }).hint(PEER_INDEX).lean()) !== null;
  }

  /** Some settled messages with a number, in no particular order. */
  listWith({ user }: AccountScope, number: string, limit: number): Promise<StoredMessage[]> {
    return this.messages
      .find({ user, peerNumber: number, ...DELETABLE }, { smsBatch: 1, status: 1, peerNumber: 1 })
      .limit(limit)
      .hint(PEER_INDEX)
      .lean<StoredMessage[]>();
  }

  async eraseMany({ user }: AccountScope, ids: readonly Types.ObjectId[], now: Date): Promise<void> {
    await this.messages.updateMany({ _id: { $in: ids }, user, ...DELETABLE }, messageErasure(now));
  }

  /**
   * The first recipients of a batch that are not deleted, and how many there are.
   * @param except a number that is about to be deleted.
   */
  async listRecipients(
    { user }: AccountScope,
    batch: Types.ObjectId,
    limit: number,
    except?: string,
  ): Promise<{ first: string[]; count: number }> {
    const condition = {
      user,
      smsBatch: batch,
      deletedAt: { $exists: false },
      ...(except !== undefined && { peerNumber: { $ne: except } }),
    };
    const [found, count] = await Promise.all([
      this.messages.find(condition, { recipient: 1 }).sort({ wave: 1, _id: 1 }).limit(limit).lean(),
      this.messages.countDocuments(condition, { hint: BATCH_INDEX }),
    ]);
    return { first: found.map(({ recipient }) => recipient ?? ''), count };
  }

  /** The recipients that a batch shows; undefined if it shows none. */
  async findRecipientPreview(account: AccountScope, batch: Types.ObjectId): Promise<string | undefined> {
    const found = await this.batches
      .findOne({ _id: batch, user: account.user }, { recipientPreview: 1 })
      .lean<Pick<Batch, 'recipientPreview'>>();
    return found?.recipientPreview;
  }

  /** @returns false if the batch no longer shows `shown`, because another deletion has changed it. */
  async replaceRecipientPreview(
    account: AccountScope,
    batch: Types.ObjectId,
    shown: string,
    preview: string,
  ): Promise<boolean> {
    const result = await this.batches.updateOne(
      { _id: batch, user: account.user, recipientPreview: shown },
      { $set: { recipientPreview: preview } },
    );
    return result.matchedCount === 1;
  }

  async eraseBatch(account: AccountScope, batch: Types.ObjectId, now: Date): Promise<void> {
    await this.batches.updateOne(
      { _id: batch, user: account.user, hiddenAt: { $exists: false } },
      batchErasure(now),
    );
  }
}

/** Keeps the fingerprint, so that a repeated upload does not bring the message back. */
const messageErasure = (now: Date) =>
  ({
    $set: { deletedAt: now, message: '', peerNumber: '', outbox: [], updatedAt: now },
    $unset: {
      sender: 1,
      recipient: 1,
      encryptedMessage: 1,
      errorMessage: 1,
      redeliverUntil: 1,
      cancelRequestedAt: 1,
      isRecalled: 1,
      relayDueAt: 1,
      relayAttempts: 1,
      relayAloneAt: 1,
      relaySetAsideAt: 1,
    },
  }) as const;

const batchErasure = (now: Date) =>
  ({
    $set: { hiddenAt: now, updatedAt: now },
    $unset: { message: 1, encryptedMessage: 1, recipientPreview: 1, messageTemplate: 1, idempotencyKey: 1 },
  }) as const;
