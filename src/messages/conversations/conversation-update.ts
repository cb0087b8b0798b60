import { Types } from 'mongoose';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { valuePerDocument } from '../../infrastructure/mongo/value-per-document';
import type { Message } from '../message.schema';
import type { Conversation } from './conversation.schema';

const EPOCH = new Date(0);
/** Before every id. */
export const FIRST_ID = new Types.ObjectId('000000000000000000000000');

/** What the projection reads of a message. */
export const PROJECTED_FIELDS = {
  user: 1,
  device: 1,
  direction: 1,
  peerNumber: 1,
  createdAt: 1,
  countedAt: 1,
} as const;
export type ProjectedMessage = Pick<Message, '_id' | keyof typeof PROJECTED_FIELDS>;

/** The newest messages of a conversation, or of some of its messages. */
export type ConversationHead = Pick<
  Conversation,
  'lastMessage' | 'lastMessageAt' | 'device' | 'unanswered' | 'lastReceived' | 'lastReceivedAt'
>;

/** The head of the messages to be added to a conversation. */
export interface ConversationChange {
  readonly user: Types.ObjectId;
  readonly number: string;
  readonly head: ConversationHead;
}

/** A place in the order of a time, then an id. */
interface Place {
  readonly at: Date;
  readonly id: Types.ObjectId;
}

/** What messages of any accounts change in their conversations. Messages without a number belong to none. */
export function changesOf(messages: readonly ProjectedMessage[]): ConversationChange[] {
  const changes = new Map<string, ConversationChange>();
  for (const message of messages) {
    const { user, peerNumber: number } = message;
    if (!number) continue;
    const key = conversationKey({ user, number });
    const head = headOf(message);
    const before = changes.get(key);
    changes.set(key, { user, number, head: before ? laterHead(before.head, head) : head });
  }
  return [...changes.values()];
}

/** Identifies a conversation: the numbers of two accounts may be the same. */
export const conversationKey = ({ user, number }: Pick<ConversationChange, 'user' | 'number'>): string =>
  `${user.toHexString()} ${number}`;

/** The head of a conversation with this newest message, and the message received last. */
export function headOf(
  last: ProjectedMessage,
  received: ProjectedMessage | undefined = last.direction === 'received' ? last : undefined,
): ConversationHead {
  return {
    lastMessage: last._id,
    lastMessageAt: last.createdAt,
    device: last.device,
    ...(last.direction === 'received' && { unanswered: true }),
    ...(received?.countedAt && { lastReceived: received._id, lastReceivedAt: received.countedAt }),
  };
}

function laterHead(one: ConversationHead, other: ConversationHead): ConversationHead {
  const last = isAfter(lastOf(other), lastOf(one)) ? other : one;
  const { lastReceived, lastReceivedAt } = isAfter(receivedOf(other), receivedOf(one)) ? other : one;
  return {
    lastMessage: last.lastMessage,
    lastMessageAt: last.lastMessageAt,
    device: last.device,
    ...(last.unanswered && { unanswered: true }),
    ...(lastReceived && { lastReceived, lastReceivedAt }),
  };
}

const lastOf = ({ lastMessage: id, lastMessageAt: at }: ConversationHead): Place => ({ at, id });
const receivedOf = ({
  lastReceived: id = FIRST_ID,
  lastReceivedAt: at = EPOCH,
}: ConversationHead): Place => ({
  at,
  id,
});

export function isAfter(one: Place, other: Place): boolean {
  const difference = one.at.getTime() - other.at.getTime();
  return difference > 0 || (difference === 0 && one.id.toHexString() > other.id.toHexString());
}

/** Pipeline that moves the head of each conversation to that of new messages, unless it is later already. */
export function mergeHeads(
  heads: readonly { readonly _id: Types.ObjectId; readonly head: ConversationHead }[],
  now: Date,
) {
  return [
    {
      $set: {
        added: valuePerDocument(
          heads,
          ({ _id }) => _id,
          ({ head }) => head,
        ),
      },
    },
    {
      $set: {
        ...laterFields(['lastMessageAt', 'lastMessage'], ['device', 'unanswered']),
        ...laterFields(['lastReceivedAt', 'lastReceived']),
        version: { $add: ['$version', 1] },
        updatedAt: now,
      },
    },
    { $unset: 'added' },
    SET_UNREAD,
  ];
}

/** Pipeline that replaces the head of a conversation. */
export const replaceHead = (head: ConversationHead, now: Date) => [
  { $unset: ['unanswered', 'lastReceived', 'lastReceivedAt'] },
  { $set: { ...head, version: { $add: ['$version', 1] }, updatedAt: now } },
  SET_UNREAD,
];

/** Pipeline that marks a conversation as read through a received message, unless it is read further already. */
export const readThrough = (message: Types.ObjectId, storedAt: Date, now: Date) => [
  { $set: { added: { readThroughAt: storedAt, readThrough: message } } },
  { $set: { ...laterFields(['readThroughAt', 'readThrough']), updatedAt: now } },
  { $unset: 'added' },
  SET_UNREAD,
];

/** Condition on messages received after the conversation was read. */
export function receivedSince({ readThroughAt, readThrough: id = FIRST_ID }: Conversation) {
  if (!readThroughAt) return { countedAt: { $gt: EPOCH } };
  return {
    countedAt: { $gte: readThroughAt },
    $or: [{ countedAt: { $gt: readThroughAt } }, { _id: { $gt: id } }],
  };
}

type PlaceFields = readonly [at: string, id: string];

/** The time and id of `added` and `others` with them, if they are later than those stored. */
function laterFields([at, id]: PlaceFields, others: readonly string[] = []) {
  const isLater = isPlaceAfter([`added.${at}`, `added.${id}`], [at, id]);
  return Object.fromEntries(
    [at, id, ...others].map((field) => [
      field,
      { $cond: [isLater, coalesce(`$added.${field}`), coalesce(`$${field}`)] },
    ]),
  );
}

function isPlaceAfter(one: PlaceFields, other: PlaceFields) {
  const [at, otherAt] = [one, other].map(([field]) => ({ $ifNull: [`$${field}`, EPOCH] }));
  const [id, otherId] = [one, other].map(([, field]) => ({ $ifNull: [`$${field}`, FIRST_ID] }));
  return {
    $or: [{ $gt: [at, otherAt] }, { $and: [{ $eq: [at, otherAt] }, { $gt: [id, otherId] }] }],
  };
}

const SET_UNREAD = {
  $set: {
    unread: {
      $cond: [
        isPlaceAfter(['lastReceivedAt', 'lastReceived'], ['readThroughAt', 'readThrough']),
        true,
        '$$REMOVE',
      ],
    },
  },
};
