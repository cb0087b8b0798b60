import type { SendBulkSmsRequest } from 'messaging-gateway-client';
import type { GatewayApi } from './gateway-api';

export interface CampaignMessage {
  readonly recipient: string;
  readonly message: string;
}

/** A campaign that the service has accepted. */
export interface Campaign {
  readonly batchId: string;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  /** When the service expects the last message to be sent, in epoch milliseconds. */
  readonly forecastAt: number;
}

/** Asks for the forecast of a campaign, and sends it to a pool. */
export async function sendCampaign(
  api: GatewayApi,
  poolId: string,
  messages: readonly CampaignMessage[],
): Promise<Campaign> {
  const entries: SendBulkSmsRequest['messages'] = messages.map(({ recipient, message }) => ({
    message,
    recipients: [recipient],
  }));
  const { sims } = await api.estimate(poolId, entries);
  const sentAt = Date.now();
  const batchId = await api.sendToPool(poolId, entries);
  return { batchId, sentAt, forecastAt: Math.max(sentAt, ...sims.map(({ until }) => Date.parse(until))) };
}
