import { closedLoop } from '../closed-loop';
import { deviceAt, recipientOf, TEXT } from '../documents';
import type { RowContext } from '../row-context';
import type { ActiveRow } from './row';

/** Uploads messages that phones have received, from the devices of an account in turn. */
export async function incomingMessage({ http, tenantsOf }: RowContext): Promise<ActiveRow> {
  const tenants = await tenantsOf('incoming_message');
  let number = 0;
  const operation = async (lane: number) => {
    number += 1;
    const tenant = tenants.of(lane);
    await http.call({
      method: 'POST',
      path: `gateway/devices/${deviceAt(tenant, number).toHexString()}/receive-sms`,
      apiKey: tenant.apiKey,
      body: { sender: recipientOf(number), message: TEXT, receivedAtInMillis: Date.now() },
    });
    return 1;
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
