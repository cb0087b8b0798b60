import { periodOf } from '../../src/billing/usage/usage-period';
import { batchOf, deviceAt, pendingMessage } from '../documents';
import { WAVE } from '../wave';
import type { Limit, LimitRoom } from './limit';

/**
 * A send cannot do without three writes: the message, which is the promise; the batch, which answers for it and holds
 * the idempotency key; and the plan's count, which must be taken before the answer, or two sends at once exceed the
 * limit. The batch comes last: it is the commit. That the batch is stored as `accepting` and flipped later, and every
 * read on the way (key, account, device), is the service's own way of doing it and no part of the limit. There is no
 * event: a send raises none.
 */
export async function sendOneLimit({ own, user, devices }: LimitRoom): Promise<Limit> {
  const period = periodOf(new Date());
  const counts = { dayCount: 0, monthCount: 0, reserved: [], returned: [] };
  await own.usages.insertOne({ _id: user, ...period, ...counts });
  let number = 0;
  return {
    async operation() {
      number += 1;
      const batch = batchOf({ user, devices }, deviceAt({ devices }, number), 1);
      await own.usages.updateOne({ _id: user, ...period }, { $inc: { dayCount: 1, monthCount: 1 } });
      await own.messages.insertOne(pendingMessage(batch, number));
      await own.batches.insertOne(batch);
      return 1;
    },
  };
}

const RECIPIENTS = 1_000;
const FIRST_DUE_IN_MS = 60_000;

/** The messages of a send to a thousand, in one `insertMany`; the two other writes of a send do not weigh there. */
export function sendThousandLimit({ own, user, devices }: LimitRoom): Limit {
  let number = 0;
  return {
    async operation() {
      number += 1;
      const batch = batchOf({ user, devices }, deviceAt({ devices }, number), RECIPIENTS);
      const dueAt = new Date(Date.now() + FIRST_DUE_IN_MS);
      const messages = Array.from({ length: RECIPIENTS }, (_, index) =>
        pendingMessage(batch, index, {
          wave: Math.floor(index / WAVE),
          dispatchDueAt: dueAt,
          nextDispatchAt: dueAt,
        }),
      );
      await own.messages.insertMany(messages, { ordered: false });
      return RECIPIENTS;
    },
  };
}
