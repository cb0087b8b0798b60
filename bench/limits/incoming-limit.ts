import { periodOf } from '../../src/billing/usage/usage-period';
import { deviceAt, receivedMessage } from '../documents';
import type { Limit, LimitRoom } from './limit';

/** An incoming message requires two writes: the message with its event, and the usage of the plan. */
export async function incomingLimit({ own, user, devices }: LimitRoom): Promise<Limit> {
  const period = periodOf(new Date());
  const counts = { dayCount: 0, monthCount: 0, reserved: [], returned: [] };
  await own.usages.insertOne({ _id: user, ...period, ...counts });
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
