import type { Types } from 'mongoose';
import { sourceStatuses } from '../../src/messages/message-status';
import { batchOf, deviceAt, dispatchedMessage } from '../documents';
import { PreparedItems } from '../prepared-items';
import type { Limit, LimitRoom } from './limit';

const BATCH_SIZE = 1_000;

/** A report requires one conditional update of the message and its outbox. */
export function reportLimit({ own, user, devices }: LimitRoom): Limit {
  const messages = new PreparedItems<{ _id: Types.ObjectId; device: Types.ObjectId }>();
  let batches = 0;
  return {
    async prepare(units) {
      while (messages.size < units) {
        const device = deviceAt({ devices }, batches++);
        const batch = batchOf({ user, devices }, device, BATCH_SIZE);
        await own.fillMessages(BATCH_SIZE, (number) => {
          const message = dispatchedMessage(batch, number);
          messages.push({ _id: message._id, device });
          return message;
        });
      }
    },
    async operation() {
      const message = messages.take();
      if (!message) return 0;
      const now = new Date();
      const times = { sentAt: now, settledAt: now, countedAt: now, relayDueAt: now, updatedAt: now };
      await own.messages.updateOne(
        { ...message, user, direction: 'sent', status: { $in: sourceStatuses('sent') } },
        {
          $set: { status: 'sent', ...times },
          $addToSet: { raised: 'MESSAGE_SENT' },
          $push: { outbox: { event: 'MESSAGE_SENT', at: now } },
          $unset: { redeliverUntil: 1 },
        },
      );
      return 1;
    },
  };
}
