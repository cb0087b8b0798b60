import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoop, LANES } from '../closed-loop';
import type { RowContext } from '../row-context';
import { WAVE } from '../wave';
import type { ActiveRow } from './row';
import { sendCall } from './send-call';

const CHECK_INTERVAL_MS = 10;
const TIMEOUT_MS = 120_000;

/**
 * Dispatches sends of one wave each to a transport that does nothing, until the last message is `dispatched` in the
 * database. The worker is paused while they are sent.
 */
export async function dispatch({ http, records, control, tenantOf }: RowContext): Promise<ActiveRow> {
  const tenant = await tenantOf('dispatch');
  // Discard the times of earlier rows.
  await control.takeHandedOverTimes();
  let sends = 0;
  let prepared = 0;
  return {
    owner: tenant,
    roles: ['worker'],
    side: {
      async prepare(units) {
        control.pause('worker');
        await closedLoop(TIMEOUT_MS / 1_000, LANES, async () => {
          if (prepared >= units) return 0;
          prepared += WAVE;
          await http.call(sendCall(tenant, sends++, WAVE));
          return WAVE;
        });
      },
      async run() {
        const units = prepared;
        prepared = 0;
        const startedAt = Date.now();
        control.resume('worker');
        const isPending = {
          user: tenant.user,
          status: 'pending' as const,
          nextDispatchAt: { $lte: new Date(startedAt) },
        };
        for (;;) {
          if (Date.now() - startedAt > TIMEOUT_MS)
            throw new Error('The messages are not handed over in time');
          await sleep(CHECK_INTERVAL_MS);
          if ((await control.countHandedOver()) < units) continue;
          if (!(await records.messages.findOne(isPending, { projection: { _id: 1 } }))) break;
        }
        const seconds = (Date.now() - startedAt) / 1_000;
        const times = (await control.takeHandedOverTimes()).map((at) => at - startedAt);
        return { units, seconds, times };
      },
    },
  };
}
