import { closedLoop } from '../closed-loop';
import type { Stage } from '../stage';
import type { Tenant } from '../tenant';
import type { Begun } from './row';
import { sendCall } from './send-call';

const RECIPIENTS = 1_000;

/** Sends to one recipient, at once, from devices in turn. */
export async function sendOne(stage: Stage): Promise<Begun> {
  return sends(stage, await stage.tenantOf('send_one'), 1);
}

/** Sends to a thousand recipients. */
export async function sendThousand(stage: Stage): Promise<Begun> {
  return sends(stage, await stage.tenantOf('send_thousand'), RECIPIENTS);
}

function sends({ http }: Stage, tenant: Tenant, recipients: number): Begun {
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
