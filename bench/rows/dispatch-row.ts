import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoop, LANES } from '../closed-loop';
import type { Stage } from '../stage';
import { WAVE } from '../wave';
import type { Begun } from './row';
import { sendCall } from './send-call';

const CHECK_INTERVAL_MS = 10;
const WITHIN_MS = 120_000;

/**
 * Messages that wait, in sends of one wave each, are handed to a transport that does nothing. The worker stands still
 * while they are sent, and is let go for the measuring: until the last one is `dispatched` in the database.
 */
export async function dispatch({ http, records, control, tenantOf }: Stage): Promise<Begun> {
  const tenant = await tenantOf('dispatch');
  // What was handed over of the rows before.
  await control.takeHanded();
  let sends = 0;
  let waiting = 0;
  return {
    owner: tenant,
    roles: ['worker'],
    side: {
      async prepare(units) {
        control.pause('worker');
        await closedLoop(WITHIN_MS / 1_000, LANES, async () => {
          if (waiting >= units) return 0;
          waiting += WAVE;
          await http.call(sendCall(tenant, sends++, WAVE));
          return WAVE;
        });
      },
      async run() {
        const units = waiting;
        waiting = 0;
        const began = Date.now();
        control.resume('worker');
        const isWaiting = {
          user: tenant.user,
          status: 'pending' as const,
          nextDispatchAt: { $lte: new Date(began) },
        };
        for (;;) {
          if (Date.now() - began > WITHIN_MS) throw new Error('The messages are not handed over in time');
          await sleep(CHECK_INTERVAL_MS);
          if ((await control.handed()) < units) continue;
          if (!(await records.messages.findOne(isWaiting, { projection: { _id: 1 } }))) break;
        }
        const seconds = (Date.now() - began) / 1_000;
        const times = (await control.takeHanded()).map((at) => at - began);
        return { units, seconds, times };
      },
    },
  };
}
