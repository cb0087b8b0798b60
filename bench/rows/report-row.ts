import { closedLoop } from '../closed-loop';
import { batchOf, deviceAt, dispatchedMessage } from '../documents';
import type { Stage } from '../stage';
import { Stock } from '../stock';
import type { Begun } from './row';

const IN_BATCH = 1_000;

/** Reports `SENT` on the messages of batches of a thousand, batch after batch. */
export async function statusReport({ http, records, tenantOf }: Stage): Promise<Begun> {
  const tenant = await tenantOf('status_report');
  const ready = new Stock<{ device: string; smsId: string; smsBatchId: string }>();
  let batches = 0;
  return {
    owner: tenant,
    roles: ['api'],
    side: {
      async prepare(units) {
        while (ready.size < units) {
          const id = deviceAt(tenant, batches++);
          const batch = batchOf(tenant, id, IN_BATCH);
          const [device, smsBatchId] = [id.toHexString(), batch._id.toHexString()];
          await records.batches.insertOne(batch);
          await records.fillMessages(IN_BATCH, (number) => {
            const message = dispatchedMessage(batch, number);
            ready.add({ device, smsId: message._id.toHexString(), smsBatchId });
            return message;
          });
        }
      },
      run: (seconds, lanes) =>
        closedLoop(seconds, lanes, async () => {
          const next = ready.take();
          if (!next) return 0;
          const { device, smsId, smsBatchId } = next;
          await http.call({
            method: 'PATCH',
            path: `gateway/devices/${device}/sms-status`,
            apiKey: tenant.apiKey,
            body: { smsId, smsBatchId, status: 'SENT', sentAtInMillis: Date.now() },
          });
          return 1;
        }),
    },
  };
}
