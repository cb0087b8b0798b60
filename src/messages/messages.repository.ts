import { Injectable, Logger } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Coalescer } from '../common/coalescer';
import { Clock } from '../common/clock';
import { isDuplicateKey } from '../infrastructure/mongo/duplicate-key';
import { byOwnedIds, type OwnedId } from '../infrastructure/mongo/owned-ids';
import { insertManyUnordered, upsertManyUnordered } from '../infrastructure/mongo/unordered-writes';
import { COUNTING_WRITE_TIMEOUT_MS } from '../totals/periods';
import { BOUNDED_MESSAGE } from './bounded-message';
import { PROMPT_WRITE_MS } from './list-horizon';
import { Message } from './message.schema';
import { idsOf } from '../common/documents';

/** Sends of up to this many messages are written together with others. */
const MAX_BATCHED_MESSAGES = 20;

/** A database that is slower for longer than these writes is overloaded. */
const MAX_REDATES = 10;

const EPOCH = new Date(0);

/** An incoming message, whose id is that of its upload, see `receivedMessageId`. */
export type ReceivedMessage = Message & { readonly fingerprint: string };

interface ReceivedText {
  readonly device: Types.ObjectId;
  readonly sender: string;
  readonly message: string;
  readonly since: Date;
  readonly until: Date;
}

@Injectable()
export class MessagesRepository {
  private readonly logger = new Logger(MessagesRepository.name);

  private readonly insertCoalescer = new Coalescer(async (sends: readonly (readonly Message[])[]) => {
    const errors = await this.insertDated(sends.flat());
    let end = 0;
    return sends.map(({ length }) => {
      const error = errors.slice(end, (end += length)).find((each) => each);
      return error && Promise.reject(error);
    });
  });

  private readonly receivedCoalescer = new Coalescer(async (messages: readonly ReceivedMessage[]) => {
    // An insert cannot use the time of the database. After an upsert by pipeline, DocumentDB sorts lists in memory.
    const failures = await this.writeDated(messages, (dated) => {
      const updates = dated.map(({ _id, countedAt: _, ...fields }) => ({
        // One that is stored does not match, so that the insert is a duplicate.
        filter: { user: fields.user, _id, countedAt: { $exists: false } },
        update: { $setOnInsert: fields, $currentDate: { countedAt: true as const } },
      }));
      return upsertManyUnordered(this.messages, updates, COUNTING_WRITE_TIMEOUT_MS);
    });
    return failures.map((failure) => failure && Promise.reject(failure));
  });

  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    private readonly clock: Clock,
  ) {}

  /** Stores messages; their `createdAt` is replaced by the time at which they are written. */
  async insert(messages: Message[]): Promise<void> {
    if (messages.length <= MAX_BATCHED_MESSAGES) return this.insertCoalescer.submit(messages);
    const error = (await this.insertDated(messages)).find((each) => each);
    if (error) throw error;
  }

  /**
   * Stores and counts an incoming message, as `insert`; a late upload keeps its `createdAt`.
   * @returns its id; if it was uploaded before, that of the stored message.
   */
  async insertReceived(
    account: AccountScope,
    message: ReceivedMessage,
  ): Promise<{ isNew: boolean; id: Types.ObjectId }> {
    try {
      await this.receivedCoalescer.submit(message);
      return { isNew: true, id: message._id };
    } catch (failure) {
      if (!isDuplicateKey(failure)) throw failure;
      const known = await this.findUploaded(account, message);
      if (!known) throw failure;
      // The process that wrote it may have died before it knew that this took long.
      const { createdAt, countedAt = createdAt } = known;
      if (countedAt.getTime() - createdAt.getTime() > PROMPT_WRITE_MS)
        await this.redate([{ _id: known._id, user: account.user }]);
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

  async removeOfBatch({ _id, user }: OwnedId): Promise<void> {
    await this.messages.deleteMany({ user, smsBatch: _id });
  }

  /** Counts equal texts that a phone has received from one sender within a time. */
  countReceivedEqual(
    { user }: AccountScope,
    { device, sender, message, since, until }: ReceivedText,
  ): Promise<number> {
    return this.messages.countDocuments({
      user,
      device,
      // Late uploads are dated back to their reception.
      createdAt: { $gte: since },
      direction: 'received',
      sender,
      message,
      receivedAt: { $gte: since, $lte: until },
    });
  }

  /** The batches of an account with messages that are pending. */
  async listPendingBatches({ user }: AccountScope): Promise<Types.ObjectId[]> {
    const found = await this.messages.aggregate<{ _id: Types.ObjectId }>([
      { $match: { user, status: 'pending', nextDispatchAt: { $exists: true } } },
      { $group: { _id: '$smsBatch' } },
    ]);
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

  /** Earlier versions gave messages ids of their own, and have a unique index on the fingerprint. */
  private async findUploaded(
    { user }: AccountScope,
    { _id, device, fingerprint }: ReceivedMessage,
  ): Promise<Pick<Message, '_id' | 'createdAt' | 'countedAt'> | null> {
    const find = (condition: QueryFilter<Message>) =>
      this.messages
        .findOne({ user, ...condition }, { createdAt: 1, countedAt: 1 })
        .lean<Pick<Message, '_id' | 'createdAt' | 'countedAt'>>();
    return (await find({ _id })) ?? find({ device, fingerprint });
  }

  private insertDated(messages: readonly Message[]): Promise<(undefined | Error)[]> {
    return this.writeDated(messages, (dated) => insertManyUnordered(this.messages, dated));
  }

  /** Writes messages with the time of the write as `createdAt`. Lists in ascending order rely on it, see `LIST_HORIZON_MS`. */
  private async writeDated<Written extends Message, Result>(
    messages: readonly Written[],
    write: (dated: readonly Written[]) => Promise<Result>,
  ): Promise<Result> {
    const startedAt = performance.now();
    const now = this.clock.now();
    const result = await write(
      messages.map((message) =>
        message.originalCreatedAt ? message : Object.assign({}, message, { createdAt: now, updatedAt: now }),
      ),
    );
    if (performance.now() - startedAt > PROMPT_WRITE_MS) await this.redate(messages);
    return result;
  }

  /** Moves the `createdAt` of messages to now, because a poller may have passed it before they appeared. */
  private async redate(messages: readonly OwnedId[]): Promise<void> {
    const condition = { ...byOwnedIds(messages), originalCreatedAt: { $exists: false } };
    for (let attempt = 0; attempt < MAX_REDATES; attempt += 1) {
      const startedAt = performance.now();
      const now = this.clock.now();
      await this.messages.updateMany(condition, { $max: { createdAt: now, updatedAt: now } });
      if (performance.now() - startedAt <= PROMPT_WRITE_MS) return;
    }
    this.logger.warn(
      `The database takes more than ${PROMPT_WRITE_MS} ms for a write: pollers may miss ${messages.length} messages`,
    );
  }
}

/** The `wave` bound is outside the `$or` because only there it limits the index scan. */
function comesAfter({ _id, wave }: Pick<Message, '_id' | 'wave'>) {
  return wave === undefined
    ? { $or: [{ wave: { $exists: true } }, { _id: { $gt: _id } }] }
    : { wave: { $gte: wave }, $or: [{ wave: { $gt: wave } }, { _id: { $gt: _id } }] };
}
