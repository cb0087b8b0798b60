import type { DeviceEvidence, Evidence, SeriesEvidence, SubscriptionEvidence } from './evidence';
import type { ServiceAccess } from './service-access';

/** The counters of the service and the records they count. */
export type CounterState = Pick<
  Evidence,
  'devices' | 'subscriptions' | 'totals' | 'series' | 'usage' | 'batches' | 'messages' | 'deliveries'
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
    series: sumSeries(await get<SeriesEvidence[]>(`gateway/stats/series?${seriesQuery()}`)),
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

/** Two days around now, which include the whole run. */
function seriesQuery(): string {
  const at = (ms: number) => new Date(Date.now() + ms).toISOString();
  const DAY_MS = 24 * 3_600_000;
  return new URLSearchParams({ from: at(-DAY_MS), to: at(DAY_MS), bucket: 'hour' }).toString();
}

function sumSeries(points: readonly SeriesEvidence[]): SeriesEvidence {
  const of = (kind: keyof SeriesEvidence) => points.reduce((sum, point) => sum + point[kind], 0);
  return { received: of('received'), sent: of('sent'), delivered: of('delivered'), failed: of('failed') };
}
