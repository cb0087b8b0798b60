import { deviceAt, receivedMessage } from '../documents';
import type { Limit, LimitRoom } from './limit';
import { startUsage } from './start-usage';

/** An incoming message requires two writes: the message with its event, and the usage of the plan. */
export async function incomingLimit(room: LimitRoom): Promise<Limit> {
  const period = await startUsage(room);
  const { own, user, devices } = room;
  let number = 0;
  return {
    async operation() {
      number += 1;
      await own.messages.insertOne(receivedMessage({ user, devices }, deviceAt({ devices }, number), number));
      await own.usages.updateOne({ _id: user, ...period }, { $inc: { dayCount: 1, monthCount: 1 } });
      return 1;
    },
  };
}
