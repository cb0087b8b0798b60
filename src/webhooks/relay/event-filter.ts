import type { Types } from 'mongoose';
import type { SimRecord } from '../../devices/sims/schemas/sim.schema';
import type { WebhookSubscription } from '../webhook-subscription.schema';

/** Where an event comes from. */
export interface EventOrigin {
  readonly device?: Types.ObjectId;
  /** The pool that the message was sent to. */
  readonly pool?: Types.ObjectId;
  /** Absent if it is not known; then `subscriptionId` may be. */
  readonly sim?: Types.ObjectId;
  /** The SIM of `device`. */
  readonly subscriptionId?: number;
}

export type PoolSim = Pick<SimRecord, '_id' | 'device' | 'subscriptionId'>;

/** What a subscription is limited to; without ids it gets every event. */
export interface EventFilter extends Pick<WebhookSubscription, 'deviceIds' | 'poolIds'> {
  /** The SIMs that are in the pools now. */
  readonly poolSims: readonly PoolSim[];
}

/** Whether an event comes from one of the devices or pools. */
export function passesFilter({ deviceIds, poolIds, poolSims }: EventFilter, origin: EventOrigin): boolean {
  if (!deviceIds && !poolIds) return true;
  const isOneOf = (ids: readonly Types.ObjectId[] = [], id: Types.ObjectId | undefined) =>
    id !== undefined && ids.some((each) => each.equals(id));
  return (
    isOneOf(deviceIds, origin.device) ||
    isOneOf(poolIds, origin.pool) ||
    poolSims.some((sim) => isFrom(origin, sim))
  );
}

/** An event of a phone, or one whose SIM is not known, comes from all SIMs in the phone. */
function isFrom({ device, sim, subscriptionId }: EventOrigin, { _id, ...place }: PoolSim): boolean {
  if (sim) return _id.equals(sim);
  if (!device || !place.device?.equals(device)) return false;
  return subscriptionId === undefined || place.subscriptionId === subscriptionId;
}
