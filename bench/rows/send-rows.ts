import { closedLoop } from '../closed-loop';
import { suppressionOf } from '../documents';
import type { RowContext } from '../row-context';
import type { Tenant } from '../tenant';
import type { Tenants } from '../tenants';
import { PoolSends } from './pool-sends';
import type { ActiveRow } from './row';
import { sendCall } from './send-call';

const RECIPIENTS = 1_000;
const BLOCKS = 100_000;

/** Sends to one recipient, from the devices of an account in turn. */
export async function sendOne(context: RowContext): Promise<ActiveRow> {
  return sends(context, await context.tenantsOf('send_one'), 1);
}

/** The same from accounts with consent, among 100,000 blocks of other numbers. */
export async function sendConsent(context: RowContext): Promise<ActiveRow> {
  const tenants = await context.tenantsOf('send_consent');
  for (const { user } of tenants.all) {
    await context.records.accounts.updateOne({ _id: user }, { $set: { consent: { enabled: true } } });
    await context.records.fillSuppressions(Math.ceil(BLOCKS / tenants.all.length), (number) =>
      suppressionOf(user, number),
    );
  }
  return sends(context, tenants, 1);
}

/** Sends to a thousand recipients. */
export async function sendThousand(context: RowContext): Promise<ActiveRow> {
  return sends(context, await context.tenantsOf('send_thousand'), RECIPIENTS);
}

/** Sends to one recipient by a pool of each account. */
export async function sendPool({ http, tenantsOf }: RowContext): Promise<ActiveRow> {
  const tenants = await tenantsOf('send_pool');
  const pools = new Map<Tenant, PoolSends>();
  for (const tenant of tenants.all) pools.set(tenant, await PoolSends.create(http, tenant));
  let number = 0;
  const operation = async (lane: number) => {
    const call = pools.get(tenants.of(lane))?.call(number++, 1);
    if (!call) throw new Error('An account has no pool');
    await http.call(call);
    return 1;
  };
  return {
    owner: tenants.first,
    roles: ['api'],
    side: {
      prepare: () => Promise.resolve(),
      run: (seconds, lanes) => closedLoop(seconds, lanes, operation),
    },
    async end() {
      for (const pool of pools.values()) await pool.remove();
    },
  };
}

function sends({ http }: RowContext, tenants: Tenants, recipients: number): ActiveRow {
  let number = 0;
  const operation = async (lane: number) => {
    await http.call(sendCall(tenants.of(lane), number++, recipients));
    return recipients;
  };
  return {
    owner: tenants.first,
    roles: ['api'],
    side: {
      prepare: () => Promise.resolve(),
      run: (seconds, lanes) => closedLoop(seconds, lanes, operation),
    },
  };
}
