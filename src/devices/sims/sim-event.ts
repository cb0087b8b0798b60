import { Types } from 'mongoose';
import type { SimRecord } from './schemas/sim.schema';
import type { OperationalEntry, SimLimitDetails, SimUnhealthyDetails } from '../events/operational-event';

interface SimDetails {
  readonly SIM_UNHEALTHY: SimUnhealthyDetails;
  readonly SIM_LIMIT_REACHED: SimLimitDetails;
}

/**
 * An event of a SIM. Store it with the conditional update of the SIM that changes what the event is about:
 * `{ $set: { relayDueAt: entry.at }, $push: { outbox: entry } }`.
 */
export function simEvent<Event extends keyof SimDetails>(
  event: Event,
  sim: Pick<
    SimRecord,
    '_id' | 'device' | 'isPresent' | 'label' | 'phoneNumber' | 'carrierName' | 'subscriptionId'
  >,
  details: SimDetails[Event],
  now: Date,
): OperationalEntry {
  const { _id, device, isPresent, label, phoneNumber, carrierName, subscriptionId } = sim;
  return {
    id: new Types.ObjectId(),
    event,
    at: now,
    ...(device && { device }),
    details: {
      simId: _id.toHexString(),
      ...(label !== undefined && { label }),
      ...(phoneNumber !== undefined && { phoneNumber }),
      ...(carrierName !== undefined && { carrierName }),
      ...(isPresent && subscriptionId !== undefined && { subscriptionId }),
      ...details,
    },
  };
}
