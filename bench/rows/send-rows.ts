import { closedLoop } from '../closed-loop';
import type { RowContext } from '../row-context';
import type { Tenants } from '../tenants';
import type { ActiveRow } from './row';
import { sendCall } from './send-call';

const RECIPIENTS = 1_000;

/** Sends to one recipient, from the devices of each account in turn. */
export async function sendOne(context: RowContext): Promise<ActiveRow> {
  return sends(context, await context.tenantsOf('send_one'), 1);
}

/** Sends to a thousand recipients. */
export async function sendThousand(context: RowContext): Promise<ActiveRow> {
  return sends(context, await context.tenantsOf('send_thousand'), RECIPIENTS);
}

function sends({ http }: RowContext, tenants: Tenants, recipients: number): ActiveRow {
  let number = 0;
  const operation = async () => {
    await http.call(sendCall(tenants.next(), number++, recipients));
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
