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

function comesAfter({ createdAt, _id }: Message): mongo.Filter<Message> {
  return {
    createdAt: { $lte: createdAt },
    $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: _id } }],
  };
}

/** The sums of the devices and the keys of an account. */
export function statsLimit({ service, user }: LimitRoom): Limit {
  const isAlive = { $cond: [{ $eq: [{ $type: '$deletedAt' }, 'missing'] }, 1, 0] };
  return {
    async operation() {
      await Promise.all([
        service.devices
          .aggregate([
            { $match: { user } },
            {
              $group: {
                _id: null,
                devices: { $sum: isAlive },
                sent: { $sum: '$sentSMSCount' },
                received: { $sum: '$receivedSMSCount' },
              },
            },
          ])
          .toArray(),
        service.apiKeys.countDocuments({ user, revokedAt: { $exists: false } }),
      ]);
      return 1;
    },
  };
}
