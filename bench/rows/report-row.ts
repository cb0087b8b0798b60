import { closedLoop } from '../closed-loop';
import { batchOf, deviceAt, dispatchedMessage } from '../documents';
import type { RowContext } from '../row-context';
import { PreparedItems } from '../prepared-items';
import type { Tenant } from '../tenant';
import type { ActiveRow } from './row';

const BATCH_SIZE = 100;

interface PendingReport {
  readonly apiKey: string;
  readonly device: string;
  readonly smsId: string;
  readonly smsBatchId: string;
}

/** Reports `SENT` for the messages of batches of a hundred, of each account in turn. */
export async function statusReport({ http, records, tenantsOf }: RowContext): Promise<ActiveRow> {
  const tenants = await tenantsOf('status_report');
  const messages = new PreparedItems<PendingReport>();
  let batches = 0;
  const storeBatch = async (tenant: Tenant, number: number): Promise<PendingReport[]> => {
    const device = deviceAt(tenant, number);
    const batch = batchOf(tenant, device, BATCH_SIZE);
    const reports: PendingReport[] = [];
    await records.batches.insertOne(batch);
    await records.fillMessages(BATCH_SIZE, (index) => {
      const message = dispatchedMessage(batch, index);
      reports.push({
        apiKey: tenant.apiKey,
        device: device.toHexString(),
        smsId: message._id.toHexString(),
        smsBatchId: batch._id.toHexString(),
      });
      return message;
    });
    return reports;
  };
  return {
    owner: tenants.first,
    roles: ['api'],
    side: {
      async prepare(units) {
        while (messages.size < units) {
          const round = await Promise.all(tenants.all.map((tenant) => storeBatch(tenant, batches)));
          batches += 1;
          // One after the other from different accounts.
          for (let index = 0; index < BATCH_SIZE; index++)
            for (const reports of round) {
              const report = reports[index];
              if (report) messages.push(report);
            }
        }
      },
      run: (seconds, lanes) =>
        closedLoop(seconds, lanes, async () => {
          const next = messages.take();
          if (!next) return 0;
          const { apiKey, device, smsId, smsBatchId } = next;
          await http.call({
            method: 'PATCH',
            path: `gateway/devices/${device}/sms-status`,
            apiKey,
            body: { smsId, smsBatchId, status: 'SENT', sentAtInMillis: Date.now() },
          });
          return 1;
        }),
    },
  };
}
