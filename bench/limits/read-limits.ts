import type { mongo } from 'mongoose';
import type { Message } from '../../src/messages/message.schema';
import type { Records } from '../records';
import type { Limit, LimitRoom } from './limit';

const PAGE = 50;

/** Reads a page and one more message, which shows whether there is another page. */
function readPage({ messages }: Records, condition: mongo.Filter<Message>): Promise<Message[]> {
  return messages
    .find(condition)
    .sort({ createdAt: -1, _id: -1 })
    .limit(PAGE + 1)
    .toArray();
}

/** The first page, without its total, which can be cached. */
export function listLimit({ service, user }: LimitRoom): Limit {
  return {
    async operation() {
      await readPage(service, { user });
      return 1;
    },
  };
}

/** Pages by cursor. */
export function cursorLimit({ service, user }: LimitRoom): Limit {
  const walks: (Message | undefined)[] = [];
  return {
    async operation() {
      const last = walks.pop();
      const page = await readPage(service, { user, ...(last && { $and: [comesAfter(last)] }) });
      walks.push(page[PAGE - 1]);
      return 1;
    },
  };
}

/** The first page of contacts, by name. */
export function contactsLimit({ service, user }: LimitRoom): Limit {
  return {
    async operation() {
      await service.contacts
        .find({ user, mergedInto: { $exists: false } })
        .sort({ sortKey: 1, _id: 1 })
        .limit(PAGE + 1)
        .toArray();
      return 1;
    },
  };
}

function comesAfter({ createdAt, _id }: Message): mongo.Filter<Message> {
  return {
    createdAt: { $lte: createdAt },
    $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: _id } }],
  };
}

/** The stored totals of an account, the messages counted since, and the number of its devices and keys. */
export function statsLimit({ service, user }: LimitRoom): Limit {
  const countMessages = async () => {
    const totals = await service.totals.findOne({ _id: user });
    return service.messages.countDocuments({ user, countedAt: { $gte: totals?.through ?? new Date(0) } });
  };
  return {
    async operation() {
      await Promise.all([
        countMessages(),
        service.devices.countDocuments({ user, deletedAt: { $exists: false } }),
        service.apiKeys.countDocuments({ user, revokedAt: { $exists: false } }),
      ]);
      return 1;
    },
  };
}
