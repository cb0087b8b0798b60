import type { Types } from 'mongoose';
import { sourcesOf } from '../../src/messages/message-status';
import { batchOf, dispatchedMessage } from '../documents';
import type { Limit, LimitRoom } from './limit';

const IN_BATCH = 1_000;

/** A report cannot do without one conditional update: it moves the message and writes the event into it. */
export function reportLimit({ own, user, devices }: LimitRoom): Limit {
  const ready: { _id: Types.ObjectId; device: Types.ObjectId }[] = [];
  return {
    async prepare(units) {
      for (let batchNumber = 0; ready.length < units; batchNumber += 1) {
        const device = devices[batchNumber % devices.length];
        if (!device) throw new Error('There is no device');
        const batch = batchOf({ user, devices }, device, IN_BATCH);
        await own.fillMessages(IN_BATCH, (number) => {
          const message = dispatchedMessage(batch, number);
          ready.push({ _id: message._id, device });
          return message;
        });
      }
    },
    async operation() {
      const message = ready.shift();
      if (!message) return 0;
      const now = new Date();
      await own.messages.updateOne(
        {
          _id: message._id,
          user,
          device: message.device,
          direction: 'sent',
          status: { $in: sourcesOf('sent') },
        },
        {
          $set: {
            status: 'sent',
            sentAt: now,
            settledAt: now,
            countedAt: now,
            outboxSince: now,
            updatedAt: now,
          },
          $addToSet: { raised: 'MESSAGE_SENT' },
          $push: { outbox: { event: 'MESSAGE_SENT', at: now } },
          $unset: { offerUntil: 1 },
        },
      );
      return 1;
    },
  };
}
