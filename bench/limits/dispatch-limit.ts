import { Types } from 'mongoose';
import { batchOf, pendingMessage } from '../documents';
import { WAVE } from '../wave';
import type { Limit, LimitRoom } from './limit';

/** A wave cannot do without two writes: its messages are claimed before they are pushed, and moved after it. */
export function dispatchLimit({ own, user, devices }: LimitRoom): Limit {
  const ready: Types.ObjectId[][] = [];
  return {
    async prepare(units) {
      while (ready.length * WAVE < units) {
        const device = devices[ready.length % devices.length];
        if (!device) throw new Error('There is no device');
        const batch = batchOf({ user, devices }, device, WAVE);
        const ids: Types.ObjectId[] = [];
        await own.fillMessages(WAVE, (number) => {
          const message = pendingMessage(batch, number);
          ids.push(message._id);
          return message;
        });
        ready.push(ids);
      }
    },
    async operation() {
      const ids = ready.shift();
      if (!ids) return 0;
      const now = new Date();
      const isClaimable = { status: 'pending', pushStartedAt: { $exists: false } } as const;
      await own.messages.updateMany(
        { _id: { $in: ids }, ...isClaimable },
        {
          $set: { pushStartedAt: now, pushClaim: new Types.ObjectId(), offerUntil: now, updatedAt: now },
          $inc: { dispatchAttempts: 1 },
        },
      );
      await own.messages.updateMany(
        { _id: { $in: ids }, status: 'pending' },
        {
          $set: { status: 'dispatched', dispatchedAt: new Date(), updatedAt: new Date() },
          $unset: { pushStartedAt: 1, pushClaim: 1 },
        },
      );
      return ids.length;
    },
  };
}
