import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type QueryFilter, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { byOwnedIds, ofAccounts, type OwnedId } from '../../infrastructure/mongo/owned-ids';
import { Batch } from '../batch.schema';
import { firstCharacters } from '../bounded-message';
import { PEER_INDEX, Message, RECEIVED_INDEX } from '../message.schema';
import type { Conversation } from './conversation.schema';
import { receivedSince, type ProjectedMessage, PROJECTED_FIELDS } from './conversation-update';
import { idsOf } from '../../common/documents';

/** Unread messages are counted up to this number. */
export const MAX_UNREAD_COUNT = 1_000;

/** Texts of last messages are cut to this many characters. */
export const MAX_PREVIEW_CHARACTERS = 160;

const LAST_MESSAGE_FIELDS = {
  device: 1,
  direction: 1,
  status: 1,
  errorCode: 1,
  message: firstCharacters('$message', MAX_PREVIEW_CHARACTERS),
  encrypted: 1,
  sim: 1,
  simSubscriptionId: 1,
  createdAt: 1,
} as const;

/** A message as a conversation shows it. */
export type LastMessage = Pick<Message, '_id' | keyof typeof LAST_MESSAGE_FIELDS>;

export interface Additions {
  readonly messages: readonly OwnedId[];
  readonly batches: readonly OwnedId[];
}

/**
 * Reads the messages of conversations, and which of them are not part of a conversation yet: received messages have
 * `conversationDueAt` until then, batches of sent ones `conversationsDueAt`. Methods with the parameter `devices` read only
 * the messages of these devices; undefined: of all.
 */
@Injectable()
export class ConversationMessagesRepository {
  constructor(
    @InjectModel(Message.name) private readonly messages: Model<Message>,
    @InjectModel(Batch.name) private readonly batches: Model<Batch>,
  ) {}

  /** The newest message with the number that is not bulk, and the message received last. */
  async findHead(
    account: AccountScope,
    number: string,
    devices?: readonly Types.ObjectId[],
  ): Promise<{ last: ProjectedMessage; received: ProjectedMessage | undefined } | undefined> {
    const condition = {
      user: account.user,
      peerNumber: number,
      isBulk: { $exists: false },
      ...(devices && { device: { $in: devices } }),
    };
    const last = await this.messages
      .findOne(condition, PROJECTED_FIELDS)
      .sort({ createdAt: -1, _id: -1 })
      .hint(PEER_INDEX)
      .lean<ProjectedMessage>();
    if (!last) return undefined;
    const received = await this.findReceivedLast(account, number, devices);
    return { last, received: received ?? undefined };
  }

  findReceivedLast(
    { user }: AccountScope,
    number: string,
    devices?: readonly Types.ObjectId[],
  ): Promise<ProjectedMessage | null> {
    return this.messages
      .findOne(receivedFrom(user, number, devices, { countedAt: { $gt: new Date(0) } }), PROJECTED_FIELDS)
      .sort({ countedAt: -1, _id: -1 })
      .hint(RECEIVED_INDEX)
      .lean<ProjectedMessage>();
  }

  findReceived({ user }: AccountScope, number: string, id: Types.ObjectId): Promise<ProjectedMessage | null> {
    return this.messages
      .findOne({ _id: id, user, peerNumber: number, direction: 'received' }, PROJECTED_FIELDS)
      .lean<ProjectedMessage>();
  }

  /** Counts the unread messages of a conversation, up to 1,000. */
  countUnread(conversation: Conversation, devices?: readonly Types.ObjectId[]): Promise<number> {
    const { user, number } = conversation;
    return this.messages.countDocuments(receivedFrom(user, number, devices, receivedSince(conversation)), {
      limit: MAX_UNREAD_COUNT,
      hint: RECEIVED_INDEX,
    });
  }

  /** Reads messages that are not deleted, in no particular order. */
  readLast(
    { user }: AccountScope,
    ids: readonly Types.ObjectId[],
    devices?: readonly Types.ObjectId[],
  ): Promise<LastMessage[]> {
    return this.messages.aggregate<LastMessage>([
      {
        $match: {
          _id: { $in: [...ids] },
          user,
          deletedAt: { $exists: false },
          ...(devices && { device: { $in: [...devices] } }),
        },
      },
      { $project: LAST_MESSAGE_FIELDS },
    ]);
  }

  /** Lists messages of any account, and those of batches that are not bulk. Those that are deleted have no number. */
  async listPending({ messages, batches }: Additions): Promise<ProjectedMessage[]> {
    const list = (condition: QueryFilter<Message>) =>
      this.messages.find(condition, PROJECTED_FIELDS).lean<ProjectedMessage[]>();
    const found = await Promise.all([
      messages.length > 0 ? list(byOwnedIds(messages)) : [],
      batches.length > 0 ? list({ ...ofAccounts(batches), smsBatch: { $in: idsOf(batches) } }) : [],
    ]);
    return found.flat();
  }

  /** Claims what was due to be added to conversations of any account, oldest first; it is due again at `retryAt`. */
  async claimDue(dueBy: Date, retryAt: Date, limit: number): Promise<Additions> {
    const [messages, batches] = await Promise.all([
      this.messages
        .find({ conversationDueAt: atOrBefore(dueBy) }, { user: 1 })
        .sort({ conversationDueAt: 1 })
        .limit(limit)
        .lean<OwnedId[]>(),
      this.batches
        .find({ conversationsDueAt: atOrBefore(dueBy) }, { user: 1 })
        .sort({ conversationsDueAt: 1 })
        .limit(limit)
        .lean<OwnedId[]>(),
    ]);
    if (messages.length > 0)
      await this.messages.updateMany(
        { ...byOwnedIds(messages), conversationDueAt: { $exists: true } },
        { $set: { conversationDueAt: retryAt } },
      );
    if (batches.length > 0)
      await this.batches.updateMany(
        { ...byOwnedIds(batches), conversationsDueAt: { $exists: true } },
        { $set: { conversationsDueAt: retryAt } },
      );
    return { messages, batches };
  }

  /**
   * Records that messages and batches of any account are part of their conversations.
   * @returns whether all are messages that nobody has deleted. Of batches that is not known.
   */
  async finish({ messages, batches }: Additions): Promise<boolean> {
    const areAllStored = messages.length === 0 || (await this.finishMessages(messages));
    if (batches.length > 0)
      await this.batches.updateMany(byOwnedIds(batches), { $unset: { conversationsDueAt: 1 } });
    return areAllStored && batches.length === 0;
  }

  private async finishMessages(messages: readonly OwnedId[]): Promise<boolean> {
    const isAdded = { $unset: { conversationDueAt: 1 } } as const;
    const own = byOwnedIds(messages);
    const { matchedCount } = await this.messages.updateMany({ ...own, peerNumber: { $ne: '' } }, isAdded);
    if (matchedCount === messages.length) return true;
    await this.messages.updateMany(own, isAdded);
    return false;
  }
}

const receivedFrom = (
  user: Types.ObjectId,
  number: string,
  devices: readonly Types.ObjectId[] | undefined,
  since: QueryFilter<Message>,
): QueryFilter<Message> => ({
  user,
  peerNumber: number,
  direction: 'received',
  ...(devices && { device: { $in: devices } }),
  ...since,
});
