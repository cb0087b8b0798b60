import { closedLoop } from '../closed-loop';
import { batchOf, dispatchedMessage } from '../documents';
import { deviceAt, makeTenant, type Stage } from '../stage';
import type { Begun } from './row';

const DEVICES = 10;
const IN_BATCH = 1_000;

/** Reports `SENT` on the messages of batches of a thousand, batch after batch. */
export async function statusReport(stage: Stage): Promise<Begun> {
  const tenant = await makeTenant(stage, 'report', DEVICES);
  const ready: { device: string; smsId: string; smsBatchId: string }[] = [];
  let batches = 0;
  return {
    owner: tenant,
    roles: ['api'],
    side: {
      async prepare(units) {
        while (ready.length < units) {
          const device = deviceAt(tenant, batches);
          batches += 1;
          const batch = batchOf(tenant, device, IN_BATCH);
          await stage.records.batches.insertOne(batch);
          await stage.records.fillMessages(IN_BATCH, (number) => {
            const message = dispatchedMessage(batch, number);
            ready.push({
              device: device.toHexString(),
              smsId: message._id.toHexString(),
              smsBatchId: batch._id.toHexString(),
            });
            return message;
          });
        }
      },
      run: (seconds) =>
        closedLoop(seconds, async () => {
          const next = ready.shift();
          if (!next) return 0;
          const { device, smsId, smsBatchId } = next;
          await stage.http.call({
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
