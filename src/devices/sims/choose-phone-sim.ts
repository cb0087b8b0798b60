import type { Types } from 'mongoose';
import type { Device } from '../store/device.schema';
import { compareSlots, isDefaultSim } from './sim-report';
import type { SimReason } from '../states/wait-reasons';
import type { SimLimits, SimRecord } from './schemas/sim.schema';

/** The limits that hold messages back; the others say when and where they apply. */
const LIMITS = [
  'partsPerMinute',
  'messagesPerHour',
  'messagesPerDay',
  'messagesPerMonth',
  'recipientsPerMonth',
] as const satisfies readonly (keyof SimLimits)[];

/** The SIM of a message, or why there is none that may hand it out now. */
export type PhoneSimChoice =
  | {
      /** Absent if the phone chooses. */
      readonly sim?: SimRecord;
      /** Handed to the phone: the request named none, and the phone has several. */
      readonly subscriptionId?: number;
    }
  | { readonly reason: SimReason; readonly sim?: Types.ObjectId };

/** The limits of a SIM, if it has any. */
export const limitsOf = ({ limits }: Pick<SimRecord, 'limits'>): SimLimits | undefined =>
  limits && LIMITS.some((limit) => limits[limit] !== undefined) ? limits : undefined;

/** Whether a SIM has a pace of its own, which replaces that of its phone. */
export const hasOwnPace = (sim: Pick<SimRecord, 'limits'> | undefined): boolean =>
  sim?.limits?.partsPerMinute !== undefined;

/**
 * Chooses the SIM of a message. A SIM that its request names is the one. Otherwise it is the only one of the phone; or, if one
 * of its SIMs has limits or is disabled, the phone's default SIM if enabled, else the enabled one in the lowest slot; or
 * the phone chooses.
 * @param named the subscription id that the request named.
 * @param present the SIMs in the phone, according to their records.
 */
export function choosePhoneSim(
  { defaultSim }: Pick<Device, 'defaultSim'>,
  present: readonly SimRecord[],
  named: number | undefined,
): PhoneSimChoice {
  const [only, ...others] = present;
  if (!only) return {};
  if (named !== undefined && !isDefaultSim(only)) {
    const sim = present.find(({ subscriptionId }) => subscriptionId === named);
    return sim ? ifEnabled(sim) : { reason: 'sim_absent' };
  }
  if (others.length === 0) return ifEnabled(only);
  if (!present.some((sim) => limitsOf(sim) !== undefined || !sim.enabled)) return {};
  const bySlot = [...present].sort(compareSlots);
  const preferred = bySlot.find(({ subscriptionId }) => subscriptionId === defaultSim);
  const sim = [preferred, ...bySlot].find((each) => each?.enabled);
  if (!sim) return { reason: 'sim_disabled', sim: (preferred ?? only)._id };
  return { sim, ...(sim.subscriptionId !== undefined && { subscriptionId: sim.subscriptionId }) };
}

const ifEnabled = (sim: SimRecord): PhoneSimChoice =>
  sim.enabled ? { sim } : { reason: 'sim_disabled', sim: sim._id };
