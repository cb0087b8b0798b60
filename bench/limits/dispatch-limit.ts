import { Types } from 'mongoose';
import { batchOf, deviceAt, pendingMessage } from '../documents';
import { PreparedItems } from '../prepared-items';
import { WAVE } from '../wave';
import type { Limit, LimitRoom } from './limit';

/** A wave requires two writes: claiming its messages before the push and updating them afterwards. */
export function dispatchLimit({ own, user, devices }: LimitRoom): Limit {
  const messages = new PreparedItems<Types.ObjectId[]>();
  return {
    async prepare(units) {
      while (messages.size * WAVE < units) {
        const batch = batchOf({ user, devices }, deviceAt({ devices }, messages.size), WAVE);
        const ids: Types.ObjectId[] = [];
        await own.fillMessages(WAVE, (number) => {
          const message = pendingMessage(batch, number);
          ids.push(message._id);
          return message;
        });
        messages.push(ids);
      }
    },
    async operation() {
      const ids = messages.take();
      if (!ids) return 0;
      const now = new Date();
      await own.messages.updateMany(
        { _id: { $in: ids }, status: 'pending', pushStartedAt: { $exists: false } },
        {
          $set: { pushStartedAt: now, pushClaim: new Types.ObjectId(), redeliverUntil: now, updatedAt: now },
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
