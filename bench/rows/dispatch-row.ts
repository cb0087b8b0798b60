import { setTimeout as sleep } from 'node:timers/promises';
import { closedLoop, LANES } from '../closed-loop';
import type { Call } from '../http-client';
import type { RowContext } from '../row-context';
import type { Tenant } from '../tenant';
import { WAVE } from '../wave';
import { PoolSends } from './pool-sends';
import type { ActiveRow } from './row';
import { sendCall } from './send-call';

const CHECK_INTERVAL_MS = 10;
const TIMEOUT_MS = 120_000;

/** Dispatches sends to one device of one wave each. */
export async function dispatch(context: RowContext): Promise<ActiveRow> {
  const tenant = await context.tenantOf('dispatch');
  return dispatches(context, tenant, (number) => sendCall(tenant, number, WAVE));
}

/** Dispatches sends of the same size to a pool, in a wave for each of its phones. */
export async function dispatchPool(context: RowContext): Promise<ActiveRow> {
  const tenant = await context.tenantOf('dispatch_pool');
  const pool = await PoolSends.create(context.http, tenant);
  const row = await dispatches(context, tenant, (number) => pool.call(number, WAVE));
  return { ...row, end: () => pool.remove() };
}

/**
 * Dispatches sends to a transport that does nothing, until the last message is `dispatched` in the database. The worker is
 * paused while they are sent.
 */
async function dispatches(
  { http, records, control }: RowContext,
  tenant: Tenant,
  callOf: (number: number) => Call,
): Promise<ActiveRow> {
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
        // The transport answers for no phone: without a call, pools would leave out those that do not answer.
        await records.devices.updateMany({ user: tenant.user }, { $set: { lastContactAt: new Date() } });
        await closedLoop(TIMEOUT_MS / 1_000, LANES, async () => {
          if (prepared >= units) return 0;
          prepared += WAVE;
          await http.call(callOf(sends++));
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
