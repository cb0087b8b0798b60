import { mongo } from 'mongoose';
import { MINUTE_MS } from '../common/durations';
import type { Migration } from './migration';
import { pagesOf } from './pages';

const BATCH_SIZE = 100;
/** Messages of batches with more recipients are bulk: they begin no conversation. */
const MAX_CONVERSATION_RECIPIENTS = 20;
const CONTACT_INDEX = { user: 1, contactNumber: 1, createdAt: -1, _id: -1 } as const;

interface Batch {
  readonly _id: mongo.ObjectId;
  readonly recipientCount: number;
}

interface Message {
  readonly _id: mongo.ObjectId;
  readonly device: mongo.ObjectId;
  readonly direction: 'sent' | 'received';
  readonly contactNumber: string;
  readonly createdAt: Date;
}

/**
 * Marks the messages of bulk batches, and stores the conversations of the others, from before the collection existed. What was
 * received before counts as read.
 *
 * Messages that processes of the previous version store during the upgrade appear with the next message of their conversation,
 * or when it is read by its number.
 */
export const conversations: Migration = {
  name: '0004-conversations',
  async run({ db, checkpoint }) {
    await markBulk(db, checkpoint);
    for await (const page of pagesOf(db, 'accounts', BATCH_SIZE))
      for (const { _id } of page) await addConversations(db, _id, checkpoint);
  },
};

async function markBulk(db: mongo.Db, checkpoint: () => void): Promise<void> {
  for await (const page of pagesOf<Batch>(db, 'batches', BATCH_SIZE, { recipientCount: 1 })) {
    for (const { _id, recipientCount } of page) {
      if (recipientCount <= MAX_CONVERSATION_RECIPIENTS) continue;
      checkpoint();
      await db
        .collection('messages')
        .updateMany({ smsBatch: _id, isBulk: { $exists: false } }, { $set: { isBulk: true } });
    }
  }
}

async function addConversations(db: mongo.Db, user: mongo.ObjectId, checkpoint: () => void): Promise<void> {
  const stored = db.collection('conversations');
  let newest: Message[];
  let after = '';
  do {
    checkpoint();
    newest = await newestOfNumbers(db, user, after);
    if (newest.length === 0) return;
    const numbers = newest.map(({ contactNumber }) => contactNumber);
    const known = new Set(
      await stored
        .find({ user, number: { $in: numbers } }, { projection: { number: 1 } })
        .map(({ number }) => number as unknown)
        .toArray(),
    );
    const now = new Date();
    const added = newest
      .filter(({ contactNumber }) => !known.has(contactNumber))
      .map(({ _id, device, direction, contactNumber, createdAt }) => ({
        _id: new mongo.ObjectId(),
        user,
        number: contactNumber,
        lastMessage: _id,
        lastMessageAt: createdAt,
        device,
        ...(direction === 'received' && { unanswered: true }),
        readThroughAt: now,
        version: 1,
        createdAt: now,
        updatedAt: now,
      }));
    if (added.length > 0) await insertUnlessKnown(stored, added);
    // Of conversations that began since the upgrade, what was received before.
    await stored.updateMany({ user, number: { $in: numbers }, readThroughAt: { $exists: false } }, [
      { $set: { readThroughAt: { $subtract: ['$createdAt', MINUTE_MS] } } },
    ]);
    after = numbers.at(-1) ?? '';
  } while (newest.length === BATCH_SIZE);
}

/** The newest message with each of the next numbers, without bulk ones. One lookup each: a number may have any number of messages. */
async function newestOfNumbers(db: mongo.Db, user: mongo.ObjectId, after: string): Promise<Message[]> {
  const newest: Message[] = [];
  let last = after;
  while (newest.length < BATCH_SIZE) {
    const found = await db.collection<Message>('messages').findOne(
      { user, contactNumber: { $gt: last }, isBulk: { $exists: false } },
      {
        projection: { device: 1, direction: 1, contactNumber: 1, createdAt: 1 },
        sort: { contactNumber: 1, createdAt: -1, _id: -1 },
        hint: CONTACT_INDEX,
      },
    );
    if (!found) break;
    newest.push(found);
    last = found.contactNumber;
  }
  return newest;
}

async function insertUnlessKnown(stored: mongo.Collection, added: readonly mongo.Document[]): Promise<void> {
  try {
    await stored.insertMany([...added], { ordered: false });
  } catch (failure) {
    // A message that arrived meanwhile began the conversation.
    if (!(failure instanceof mongo.MongoBulkWriteError) || failure.code !== 11000) throw failure;
  }
}
