import { batchOf, deviceAt, pendingMessage } from '../documents';
import { WAVE } from '../wave';
import type { Limit, LimitRoom } from './limit';
import { startUsage } from './start-usage';

/**
 * A send requires three writes: the message, the usage of the plan, and last the batch with the idempotency key, which
 * commits the send. The limit does not include reads, and storing the batch as `accepting` first.
 */
export async function sendOneLimit(room: LimitRoom): Promise<Limit> {
  const period = await startUsage(room);
  const { own, user, devices } = room;
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

/** The messages of a send to a thousand in one `insertMany`; its two other writes are negligible. */
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
