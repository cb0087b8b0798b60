import type { QueryFilter } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import type { Order, Position } from './message-cursor';
import type { MessageFilter } from './message-query';
import { searchPatterns } from './message-search';
import type { Message } from './message.schema';

type Condition = QueryFilter<Message>;

/** The condition on a stored message, every value of it typed: nothing a client wrote can become an operator. */
export function messageCondition(
  account: AccountScope,
  filter: MessageFilter,
  after?: { readonly position: Position; readonly order: Order },
): Condition {
  const { from, to, direction, status, smsBatch, devices, recipient, sender, search } = filter;
  const apart = [
    ...(search === undefined ? [] : [matches(search)]),
    ...(after ? [comesAfter(after.position, after.order)] : []),
  ];
  return {
    user: account.user,
    ...(devices && { device: { $in: devices } }),
    ...((from ?? to) && { createdAt: { ...(from && { $gte: from }), ...(to && { $lt: to }) } }),
    ...(smsBatch && { smsBatch }),
    ...(recipient && { recipient: { $in: recipient } }),
    ...(sender && { sender: { $in: sender } }),
    ...(direction && { direction }),
    // A message stored before status tracking has none, which is to be read as unknown.
    ...(status && { status: status === 'unknown' ? { $in: ['unknown', null] } : status }),
    ...(apart.length > 0 && { $and: apart }),
  };
}

function matches(search: string): Condition {
  const { text, number } = searchPatterns(search);
  return {
    encrypted: { $ne: true },
    $or: [
      { message: { $regex: text, $options: 'i' } },
      { sender: { $regex: number, $options: 'i' } },
      { recipient: { $regex: number, $options: 'i' } },
    ],
  };
}

/** The bound stands outside the `$or`, where the index can begin at it; inside, everything before would be read too. */
function comesAfter({ createdAt, id }: Position, order: Order): Condition {
  return order === 'asc'
    ? {
        createdAt: { $gte: createdAt },
        $or: [{ createdAt: { $gt: createdAt } }, { createdAt, _id: { $gt: id } }],
      }
    : {
        createdAt: { $lte: createdAt },
        $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: id } }],
      };
}
