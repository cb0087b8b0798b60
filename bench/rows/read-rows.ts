import { closedLoop } from '../closed-loop';
import { batchOf, deliveredMessage } from '../documents';
import { deviceAt, makeTenant, type Stage, type Tenant } from '../stage';
import type { Begun } from './row';

const DEVICES = 10;
const IN_BATCH = 1_000;

/** The first page of 50 and the total, of an account with many messages. */
export async function listPage(stage: Stage): Promise<Begun> {
  const tenant = await makeTenant(stage, 'list', DEVICES);
  for (let first = 0; first < stage.stored; first += IN_BATCH) {
    const count = Math.min(IN_BATCH, stage.stored - first);
    const batch = batchOf(tenant, deviceAt(tenant, first / IN_BATCH), count);
    await stage.records.batches.insertOne(batch);
    await stage.records.fillMessages(count, (number) => deliveredMessage(batch, number));
  }
  return reads(stage, tenant, 'gateway/messages?limit=50');
}

export async function stats(stage: Stage): Promise<Begun> {
  return reads(stage, await makeTenant(stage, 'stats', DEVICES), 'gateway/stats');
}

function reads(stage: Stage, tenant: Tenant, path: string): Begun {
  return {
    owner: tenant,
    roles: ['api'],
    side: {
      prepare: () => Promise.resolve(),
      run: (seconds) =>
        closedLoop(seconds, async () => {
          await stage.http.call({ method: 'GET', path, apiKey: tenant.apiKey });
          return 1;
        }),
    },
  };
}
