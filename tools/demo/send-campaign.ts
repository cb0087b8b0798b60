import { countParts } from 'messaging-gateway-phone';
import type { GatewayApi } from './gateway-api';
import type { PoolSim } from './phone-pool';

export interface CampaignMessage {
  readonly recipient: string;
  readonly message: string;
}

export interface CampaignBatch {
  readonly deviceId: string;
  readonly id: string;
}

const MAX_BATCH_SIZE = 200;

/**
 * Sends a campaign by the SIMs of a pool. Until the service has pools, the demo divides the messages itself; one send
 * with `poolId` replaces this function.
 */
export async function sendCampaign(
  api: GatewayApi,
  sims: readonly PoolSim[],
  campaign: readonly CampaignMessage[],
): Promise<CampaignBatch[]> {
  const batches: CampaignBatch[] = [];
  for (const [deviceId, messages] of divide(sims, campaign)) {
    for (let first = 0; first < messages.length; first += MAX_BATCH_SIZE) {
      const id = await api.sendBulk(deviceId, messages.slice(first, first + MAX_BATCH_SIZE));
      batches.push({ deviceId, id });
    }
  }
  return batches;
}

/** Each message goes to the SIM that would have sent it first. @returns the messages by device. */
function divide(sims: readonly PoolSim[], campaign: readonly CampaignMessage[]) {
  const busy = sims.map((sim) => ({ sim, untilSeconds: 0 }));
  const byDevice = new Map<string, { message: string; recipients: string[]; simSubscriptionId: number }[]>();
  for (const { recipient, message } of campaign) {
    const end = ({ sim, untilSeconds }: (typeof busy)[number]) =>
      untilSeconds + sim.secondsPerPart * countParts(message);
    const first = busy.reduce((best, each) => (end(each) < end(best) ? each : best));
    first.untilSeconds = end(first);
    const { deviceId } = first.sim.phone;
    const entry = { message, recipients: [recipient], simSubscriptionId: first.sim.subscriptionId };
    byDevice.set(deviceId, [...(byDevice.get(deviceId) ?? []), entry]);
  }
  return byDevice;
}
