import type { QueryFilter } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { type Country, peerNumberForms, readings } from '../../common/peer-number';
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
  const { from, to, direction, status, smsBatch, devices, peerNumber, search, countries = [] } = filter;
  const { isCancelled, isSuppressed } = filter;
  const formsOf = (text?: string) => (text === undefined ? undefined : peerNumberForms(text, countries));
  const [recipient, sender] = [formsOf(filter.recipient), formsOf(filter.sender)];
  const conditions = [
    ...(search === undefined ? [] : [searchCondition(search, countries)]),
    ...(after ? [comesAfter(after.position, after.order)] : []),
    ...errorCodeCondition('CANCELLED', isCancelled),
    ...errorCodeCondition('SUPPRESSED', isSuppressed),
    ...(recipient ? [numberCondition('sent', recipient)] : []),
    ...(sender ? [numberCondition('received', sender)] : []),
  ];
  return {
    user: account.user,
    ...(devices && { device: { $in: devices } }),
    ...((from ?? to) && { createdAt: { ...(from && { $gte: from }), ...(to && { $lt: to }) } }),
    ...(smsBatch && { smsBatch }),
    ...(peerNumber !== undefined && { peerNumber: { $in: readings(peerNumber, countries) } }),
    ...(direction && { direction }),
    // Messages stored before status tracking have no status; clients read them as unknown.
    ...(status && { status: status === 'unknown' ? { $in: ['unknown', null] } : status }),
    ...(conditions.length > 0 && { $and: conditions }),
  };
}

const errorCodeCondition = (code: string, isWanted: boolean | undefined): Condition[] =>
  isWanted === undefined ? [] : [{ errorCode: isWanted ? code : { $ne: code } }];

const numberCondition = (direction: Direction, forms: readonly string[]): Condition => ({
  direction,
  peerNumber: { $in: forms },
});

function searchCondition(search: string, countries: readonly Country[]): Condition {
  const { text, number, peer } = searchPatterns(search, countries);
  return {
    encrypted: { $ne: true },
    $or: [
      { message: { $regex: text, $options: 'i' } },
      { sender: { $regex: number, $options: 'i' } },
      { recipient: { $regex: number, $options: 'i' } },
      ...(peer === undefined ? [] : [{ peerNumber: { $regex: peer } }]),
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
