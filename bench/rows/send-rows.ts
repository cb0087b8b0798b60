import { closedLoop } from '../closed-loop';
import { recipientOf, TEXT } from '../documents';
import { deviceAt, makeTenant, type Stage } from '../stage';
import type { Begun } from './row';

const DEVICES = 10;
const RECIPIENTS = 1_000;

/** Sends to one recipient, at once, from devices in turn. */
export function sendOne(stage: Stage): Promise<Begun> {
  return sends(stage, 1);
}

/** Sends to a thousand recipients. */
export function sendThousand(stage: Stage): Promise<Begun> {
  return sends(stage, RECIPIENTS);
}

async function sends(stage: Stage, recipients: number): Promise<Begun> {
  const tenant = await makeTenant(stage, `send-${recipients}`, DEVICES);
  let number = 0;
  const operation = async () => {
    const first = number * recipients;
    const deviceId = deviceAt(tenant, number).toHexString();
    number += 1;
    await stage.http.call({
      method: 'POST',
      path: 'gateway/send-sms',
      apiKey: tenant.apiKey,
      body: {
        deviceId,
        message: TEXT,
        recipients: Array.from({ length: recipients }, (_, index) => recipientOf(first + index)),
      },
    });
    return recipients;
  };
  return {
    owner: tenant,
    roles: ['api'],
    side: {
      prepare: () => Promise.resolve(),
      run: (seconds) => closedLoop(seconds, operation),
    },
  };
}
