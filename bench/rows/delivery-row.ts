import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Types } from 'mongoose';
import { batchOf, deliveredMessage, deviceAt, dispatchedMessage } from '../documents';
import type { RowContext } from '../row-context';
import type { ActiveRow } from './row';

const CHECK_INTERVAL_MS = 10;
const TIMEOUT_MS = 120_000;

/**
 * Relays and delivers pending events to a local receiver until all deliveries are settled. The worker is paused while the
 * events are stored; a report on another message, whose event has no subscriber, starts the relay.
 */
export async function webhookDelivery(context: RowContext): Promise<ActiveRow> {
  const { http, records, control, receiver } = context;
  const tenant = await context.tenantOf('webhook_delivery');
  const { apiKey } = tenant;
  const device = deviceAt(tenant, 0);
  const subscription = await http.readData<{ _id: string }>({
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
  let prepared = 0;
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
        prepared = units;
      },
      async run() {
        const units = prepared;
        prepared = 0;
        const wakeUpMessage = dispatchedMessage(batchOf(tenant, device, 1), 0);
        await records.messages.insertOne(wakeUpMessage);
        receiver.clear();
        const startedAt = Date.now();
        control.resume('worker');
        await http.call({
          method: 'PATCH',
          path: `gateway/devices/${device.toHexString()}/sms-status`,
          apiKey,
          body: { smsId: wakeUpMessage._id.toHexString(), status: 'SENT' },
        });
        const isOpen = { webhookSubscription, nextDeliveryAttemptAt: { $exists: true } };
        for (;;) {
          if (Date.now() - startedAt > TIMEOUT_MS) throw new Error('The events were not delivered in time');
          await sleep(CHECK_INTERVAL_MS);
          if (receiver.arrivals.size < units) continue;
          if (!(await records.deliveries.findOne(isOpen, { projection: { _id: 1 } }))) break;
        }
        const seconds = (Date.now() - startedAt) / 1_000;
        return { units, seconds, times: [...receiver.arrivals.values()].map((at) => at - startedAt) };
      },
    },
    async end() {
      await http.call({ method: 'DELETE', path: `webhooks/${subscription._id}`, apiKey });
    },
  };
}
