import { closedLoop } from '../closed-loop';
import { batchOf, deviceAt, dispatchedMessage } from '../documents';
import type { HttpClient } from '../http-client';
import type { RowName } from '../options';
import type { RowContext } from '../row-context';
import { DeviceTokens } from '../device-tokens';
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
export function statusReport(context: RowContext): Promise<ActiveRow> {
  return reports(context, 'status_report', (http, { apiKey, device, smsId, smsBatchId }) =>
    http.call({
      method: 'PATCH',
      path: `gateway/devices/${device}/sms-status`,
      apiKey,
      body: { smsId, smsBatchId, status: 'SENT', sentAtInMillis: Date.now() },
    }),
  );
}

/** The same in the protocol of the app SMSGate, one message in each report, as the app does it. */
export async function appReport(context: RowContext): Promise<ActiveRow> {
  const tokens = new DeviceTokens(context.records);
  const row = await reports(context, 'app_report', async (http, { device, smsId }) => {
    const time = new Date().toISOString().replace('Z', '+00:00');
    const recipients = [{ phoneNumber: '+4915100000000', state: 'Sent' }];
    await http.callApp({
      method: 'PATCH',
      path: 'message',
      token: tokens.tokenOf(device),
      body: [
        { id: smsId, state: 'Sent', recipients, states: { Pending: time, Processed: time, Sent: time } },
      ],
    });
  });
  for (const tenant of row.tenants) await tokens.store(tenant);
  return row;
}

async function reports(
  { http, records, tenantsOf }: RowContext,
  row: RowName,
  report: (http: HttpClient, pending: PendingReport) => Promise<unknown>,
): Promise<ActiveRow & { readonly tenants: readonly Tenant[] }> {
  const tenants = await tenantsOf(row);
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
    tenants: tenants.all,
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
          await report(http, next);
          return 1;
        }),
    },
  };
}
