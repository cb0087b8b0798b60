import type { DeviceEvidence, Evidence, SubscriptionEvidence } from './evidence';
import type { ServiceAccess } from './service-access';

/** The counters of the service and the records they count. */
export type CounterState = Pick<
  Evidence,
  'devices' | 'subscriptions' | 'totals' | 'usage' | 'batches' | 'messages' | 'deliveries'
>;

/** Reads all counters of the account and their records. @param transports by device id. */
export async function readCounters(
  { api, baseUrl, view }: ServiceAccess,
  subscriptions: readonly string[],
  transports: ReadonlyMap<string, string>,
): Promise<CounterState> {
  const get = <T>(path: string) => api.data<T>(baseUrl, { method: 'GET', path });
  const devices =
    await get<(Omit<DeviceEvidence, 'id' | 'transport'> & { _id: string })[]>('gateway/devices');
  const totals = await get<{ totalSentSMSCount: number; totalReceivedSMSCount: number }>('gateway/stats');
  return {
    devices: devices.map(({ _id, sentSMSCount, receivedSMSCount }) => ({
      id: _id,
      transport: transports.get(_id) ?? 'unknown device',
      sentSMSCount,
      receivedSMSCount,
    })),
    subscriptions: await Promise.all(subscriptions.map((id) => readSubscription(get, id))),
    totals: { sent: totals.totalSentSMSCount, received: totals.totalReceivedSMSCount },
    usage: await view.usageOfMonth(),
    batches: await view.batches(),
    messages: await view.messages(),
    deliveries: await view.deliveries(),
  };
}

async function readSubscription(
  get: <T>(path: string) => Promise<T>,
  id: string,
): Promise<SubscriptionEvidence> {
  const webhook = await get<{
    events: string[];
    successfulDeliveryCount: number;
    deliveryFailureCount: number;
    deliveryAttemptCount: number;
  }>(`webhooks/${id}`);
  return {
    id,
    events: webhook.events,
    successes: webhook.successfulDeliveryCount,
    failures: webhook.deliveryFailureCount,
    attempts: webhook.deliveryAttemptCount,
  };
}
