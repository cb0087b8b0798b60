import { type Quota, isNearlyUsed, type PlanSubscription } from '../billing/plan-subscription';
import { periodOf } from '../billing/usage/usage-period';
import type { DeviceEventDetails, EventSim, OperationalEntry } from '../devices/events/operational-event';
import type { SimUnhealthyDetails } from '../devices/events/operational-event';
import { deviceNameOf } from '../devices/store/device-name';
import { simNameOf } from '../devices/sims/sim-name';
import { DAY_MS } from '../common/durations';
import type { Types } from 'mongoose';
import type { Occurrence } from './notices.repository';

/** What an owner may be told of an event; undefined if it is no topic. */
export function occurrenceOf(
  user: Types.ObjectId,
  { event, at, device, details }: OperationalEntry,
): Occurrence | undefined {
  switch (event) {
    case 'DEVICE_OFFLINE':
    case 'DEVICE_ONLINE': {
      const isOnline = event === 'DEVICE_ONLINE';
      const { since, ...phone } = details as DeviceEventDetails;
      return {
        _id: `device:${String(device)}`,
        user,
        topic: isOnline ? 'phoneBack' : 'phoneOffline',
        state: isOnline ? 'online' : 'offline',
        at,
        since: new Date(since),
        device,
        name: deviceNameOf(phone) ?? 'A phone',
      };
    }
    case 'SIM_UNHEALTHY': {
      const { simId, since, ...sim } = details as EventSim & SimUnhealthyDetails;
      return {
        _id: `sim:${simId}`,
        user,
        topic: 'simUnhealthy',
        state: at.toISOString(),
        at,
        since: new Date(since),
        device,
        name: simNameOf(sim, 'a SIM'),
      };
    }
    case 'SIM_LIMIT_REACHED':
      return undefined;
  }
}

/** The limits of its plan that an account has nearly used; each occurs once a period. */
export function planOccurrences(
  user: Types.ObjectId,
  { today, thisMonth, periodStart }: PlanSubscription,
  now: Date,
): Occurrence[] {
  const { day, month } = periodOf(now);
  const startOfDay = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const occurrence = (quota: Quota, name: string, state: string, at: Date): Occurrence[] =>
    isNearlyUsed(quota)
      ? [
          {
            _id: `plan-${name.toLowerCase().replace(/\W+/g, '-')}:${user.toHexString()}`,
            user,
            topic: 'planNearlyUsed',
            state,
            at,
            name,
            detail: `${quota.used} of ${quota.limit} messages`,
          },
        ]
      : [];
  return [
    ...occurrence(today, 'The daily limit', day, startOfDay),
    ...occurrence(thisMonth, 'The monthly limit', month, periodStart),
  ];
}
