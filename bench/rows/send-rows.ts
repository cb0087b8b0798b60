import { closedLoop } from '../closed-loop';
import type { RowContext } from '../row-context';
import type { Tenant } from '../tenant';
import type { ActiveRow } from './row';
import { sendCall } from './send-call';

const RECIPIENTS = 1_000;

/** Sends to one recipient, from each device in turn. */
export async function sendOne(context: RowContext): Promise<ActiveRow> {
  return sends(context, await context.tenantOf('send_one'), 1);
}

/** Sends to a thousand recipients. */
export async function sendThousand(context: RowContext): Promise<ActiveRow> {
  return sends(context, await context.tenantOf('send_thousand'), RECIPIENTS);
}

function sends({ http }: RowContext, tenant: Tenant, recipients: number): ActiveRow {
  let number = 0;
  const operation = async () => {
    await http.call(sendCall(tenant, number++, recipients));
    return recipients;
  };
  return {
    owner: tenant,
    roles: ['api'],
    side: {
      prepare: () => Promise.resolve(),
      run: (seconds, lanes) => closedLoop(seconds, lanes, operation),
    },
  };
}
