import { Types } from 'mongoose';
import { Pool } from 'undici';
import type { Delivery } from '../../src/webhooks/deliveries/delivery.schema';
import { eventPayload } from '../../src/webhooks/events/event-payload';
import { LANES } from '../closed-loop';
import { batchOf, deliveredMessage, deviceAt } from '../documents';
import type { Limit, LimitRoom } from './limit';

/** A delivery requires its record, one request, and an update with the result. */
export function deliveryLimit({ own, user, devices, receiverUrl }: LimitRoom): Limit {
  const { origin, pathname } = new URL(receiverUrl);
  const pool = new Pool(origin, { connections: LANES });
  const subscription = new Types.ObjectId();
  const device = deviceAt({ devices }, 0);
  const batch = batchOf({ user, devices }, device, 1_000);
  let number = 0;
  return {
    async operation() {
      number += 1;
      const message = deliveredMessage(batch, number);
      const _id = new Types.ObjectId();
      const now = new Date();
      const key = _id.toHexString();
      const body = JSON.stringify(eventPayload({ event: 'MESSAGE_DELIVERED' }, message, subscription, key));
      const delivery: Delivery = {
        _id,
        user,
        webhookSubscription: subscription,
        event: 'MESSAGE_DELIVERED',
        computedStatus: 'pending',
        deliveryAttemptCount: 0,
        nextDeliveryAttemptAt: now,
        createdAt: now,
        message: message._id,
        device,
        reportedStatus: '',
        body,
        attempts: [],
        redeliveryCount: 0,
      };
      await own.deliveries.insertOne(delivery);
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const answer = await pool.request({ method: 'POST', path: pathname, headers, body });
      await answer.body.dump();
      const at = new Date();
      await own.deliveries.updateOne(
        { _id },
        {
          $set: {
            computedStatus: 'delivered',
            deliveryUrl: receiverUrl,
            deliveredAt: at,
            lastDeliveryAttemptAt: now,
            httpStatusCode: answer.statusCode,
          },
          $unset: { nextDeliveryAttemptAt: 1 },
          $inc: { deliveryAttemptCount: 1 },
          $push: {
            attempts: {
              _id: new Types.ObjectId(),
              at: now,
              durationMs: at.getTime() - now.getTime(),
              httpStatusCode: answer.statusCode,
            },
          },
        },
      );
      return 1;
    },
  };
}
