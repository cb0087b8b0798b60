import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { batchOf, deliveredMessage, deviceAt, dispatchedMessage } from '../documents';
import type { Stage } from '../stage';
import type { Begun } from './row';

const CHECK_INTERVAL_MS = 10;
const WITHIN_MS = 120_000;

/**
 * Events that wait in their messages are relayed and delivered to a local receiver, until all deliveries are settled.
 * The worker stands still while they are stored; a report on one message more, whose event nobody wants, wakes it.
 */
export async function webhookDelivery(stage: Stage): Promise<Begun> {
  const { http, records, control, receiver } = stage;
  const tenant = await stage.tenantOf('webhook_delivery');
  const { apiKey } = tenant;
  const device = deviceAt(tenant, 0);
  const subscription = await http.data<{ _id: string }>({
    method: 'POST',
    path: 'webhooks',
    apiKey,
    body: {
      deliveryUrl: receiver.url,
      signingSecret: randomBytes(24).toString('hex'),
      events: ['MESSAGE_DELIVERED'],
    },
  });
  const webhookSubscription = new Types.ObjectId(subscription._id);
  let waiting = 0;
  return {
    owner: tenant,
    roles: ['worker'],
    side: {
      async prepare(units) {
        control.pause('worker');
        const batch = batchOf(tenant, device, units);
        await records.fillMessages(units, (number) => {
          const at = new Date();
          const outbox = [{ event: 'MESSAGE_DELIVERED' as const, at }];
          return deliveredMessage(batch, number, { outbox, relayDueAt: at });
        });
        waiting = units;
      },
      async run() {
        const units = waiting;
        waiting = 0;
        const alarm = dispatchedMessage(batchOf(tenant, device, 1), 0);
        await records.messages.insertOne(alarm);
        receiver.forget();
        const began = Date.now();
        control.resume('worker');
        await http.call({
          method: 'PATCH',
          path: `gateway/devices/${device.toHexString()}/sms-status`,
          apiKey,
          body: { smsId: alarm._id.toHexString(), status: 'SENT' },
        });
        const isOpen = { webhookSubscription, nextDeliveryAttemptAt: { $exists: true } };
        for (;;) {
          if (Date.now() - began > WITHIN_MS) throw new Error('The events are not delivered in time');
          await sleep(CHECK_INTERVAL_MS);
          if (receiver.arrivals.size < units) continue;
          if (!(await records.deliveries.findOne(isOpen, { projection: { _id: 1 } }))) break;
        }
        const seconds = (Date.now() - began) / 1_000;
        return { units, seconds, times: [...receiver.arrivals.values()].map((at) => at - began) };
      },
    },
    async end() {
      await http.call({ method: 'DELETE', path: `webhooks/${subscription._id}`, apiKey });
    },
  };
}
