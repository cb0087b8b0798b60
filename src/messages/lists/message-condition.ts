import type { QueryFilter } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { Order, Position } from './message-cursor';
import type { MessageFilter } from './message-query';
import { searchPatterns } from './message-search';
import type { Direction, Message } from '../message.schema';

type Condition = QueryFilter<Message>;

/** Builds the query filter. All values are typed, so client input cannot become a query operator. */
export function messageCondition(
  account: AccountScope,
  filter: MessageFilter,
  after?: { readonly position: Position; readonly order: Order },
): Condition {
  const { from, to, direction, status, smsBatch, devices, recipient, sender, contactNumber, search } = filter;
  const conditions = [
    ...(search === undefined ? [] : [searchCondition(search)]),
    ...(after ? [comesAfter(after.position, after.order)] : []),
    ...(recipient ? [numberCondition('recipient', 'sent', recipient)] : []),
    ...(sender ? [numberCondition('sender', 'received', sender)] : []),
  ];
  const number = recipient ?? sender;
  return {
    user: account.user,
    ...(devices && { device: { $in: devices } }),
    ...((from ?? to) && { createdAt: { ...(from && { $gte: from }), ...(to && { $lt: to }) } }),
    ...(smsBatch && { smsBatch }),
    // Messages that a process older than migration 0003 stored have none.
    ...(number && { contactNumber: { $in: [...number, null] } }),
    ...(contactNumber !== undefined && { contactNumber }),
    ...(direction && { direction }),
    // Messages stored before status tracking have no status; clients read them as unknown.
    ...(status && { status: status === 'unknown' ? { $in: ['unknown', null] } : status }),
    ...(conditions.length > 0 && { $and: conditions }),
  };
}

function numberCondition(
  field: 'recipient' | 'sender',
  direction: Direction,
  forms: readonly string[],
): Condition {
  return { $or: [{ direction, contactNumber: { $in: forms } }, { [field]: { $in: forms } }] };
}

function searchCondition(search: string): Condition {
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

/** The `createdAt` bound is outside the `$or` because only there it limits the index scan. */
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
