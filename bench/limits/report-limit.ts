import type { Types } from 'mongoose';
import { sourceStatuses } from '../../src/messages/message-status';
import { batchOf, deviceAt, dispatchedMessage } from '../documents';
import { Stock } from '../stock';
import type { Limit, LimitRoom } from './limit';

const IN_BATCH = 1_000;

/** A report cannot do without one conditional update: it moves the message and writes the event into it. */
export function reportLimit({ own, user, devices }: LimitRoom): Limit {
  const ready = new Stock<{ _id: Types.ObjectId; device: Types.ObjectId }>();
  let batches = 0;
  return {
    async prepare(units) {
      while (ready.size < units) {
        const device = deviceAt({ devices }, batches++);
        const batch = batchOf({ user, devices }, device, IN_BATCH);
        await own.fillMessages(IN_BATCH, (number) => {
          const message = dispatchedMessage(batch, number);
          ready.add({ _id: message._id, device });
          return message;
        });
      }
    },
    async operation() {
      const message = ready.take();
      if (!message) return 0;
      const now = new Date();
      const times = { sentAt: now, settledAt: now, countedAt: now, relayDueAt: now, updatedAt: now };
      await own.messages.updateOne(
        { ...message, user, direction: 'sent', status: { $in: sourceStatuses('sent') } },
        {
          $set: { status: 'sent', ...times },
          $addToSet: { raised: 'MESSAGE_SENT' },
          $push: { outbox: { event: 'MESSAGE_SENT', at: now } },
          $unset: { offerUntil: 1 },
        },
      );
      return 1;
    },
  };
}
