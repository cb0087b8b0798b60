import { closedLoop } from '../closed-loop';
import { batchOf, deviceAt, dispatchedMessage } from '../documents';
import type { RowContext } from '../row-context';
import { PreparedItems } from '../prepared-items';
import type { ActiveRow } from './row';

const BATCH_SIZE = 1_000;

/** Reports `SENT` for the messages of batches of a thousand. */
export async function statusReport({ http, records, tenantOf }: RowContext): Promise<ActiveRow> {
  const tenant = await tenantOf('status_report');
  const messages = new PreparedItems<{ device: string; smsId: string; smsBatchId: string }>();
  let batches = 0;
  return {
    owner: tenant,
    roles: ['api'],
    side: {
      async prepare(units) {
        while (messages.size < units) {
          const id = deviceAt(tenant, batches++);
          const batch = batchOf(tenant, id, BATCH_SIZE);
          const [device, smsBatchId] = [id.toHexString(), batch._id.toHexString()];
          await records.batches.insertOne(batch);
          await records.fillMessages(BATCH_SIZE, (number) => {
            const message = dispatchedMessage(batch, number);
            messages.push({ device, smsId: message._id.toHexString(), smsBatchId });
            return message;
          });
        }
      },
      run: (seconds, lanes) =>
        closedLoop(seconds, lanes, async () => {
          const next = messages.take();
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
