import { Types } from 'mongoose';
import { batchOf, deviceAt, pendingMessage } from '../documents';
import { Stock } from '../stock';
import { WAVE } from '../wave';
import type { Limit, LimitRoom } from './limit';

/** A wave cannot do without two writes: its messages are claimed before they are pushed, and moved after it. */
export function dispatchLimit({ own, user, devices }: LimitRoom): Limit {
  const ready = new Stock<Types.ObjectId[]>();
  return {
    async prepare(units) {
      while (ready.size * WAVE < units) {
        const batch = batchOf({ user, devices }, deviceAt({ devices }, ready.size), WAVE);
        const ids: Types.ObjectId[] = [];
        await own.fillMessages(WAVE, (number) => {
          const message = pendingMessage(batch, number);
          ids.push(message._id);
          return message;
        });
        ready.add(ids);
      }
    },
    async operation() {
      const ids = ready.take();
      if (!ids) return 0;
      const now = new Date();
      await own.messages.updateMany(
        { _id: { $in: ids }, status: 'pending', pushStartedAt: { $exists: false } },
        {
          $set: { pushStartedAt: now, pushClaim: new Types.ObjectId(), offerUntil: now, updatedAt: now },
          $inc: { dispatchAttempts: 1 },
        },
      );
      const pushed = new Date();
      await own.messages.updateMany(
        { _id: { $in: ids }, status: 'pending' },
        {
          $set: { status: 'dispatched', dispatchedAt: pushed, updatedAt: pushed },
          $unset: { pushStartedAt: 1, pushClaim: 1 },
        },
      );
      return ids.length;
    },
  };
}
