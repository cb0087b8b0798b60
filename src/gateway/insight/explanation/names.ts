import type { Types } from 'mongoose';
import { deviceNameOf } from '../../../devices/store/device-name';
import type { Facts } from './facts';
import type { StepFacts } from './step-facts';

/** The name of a phone. */
export function phoneNameOf(
  { devices }: Pick<Facts, 'devices'>,
  id: Types.ObjectId | undefined,
): string | undefined {
  const device = id && devices.get(id.toHexString());
  return device && deviceNameOf(device);
}

/** What names a SIM: its label, else its number, else its network and slot. */
export function simFactsOf(
  { sims }: Pick<Facts, 'sims'>,
  id: Types.ObjectId | undefined,
): Pick<StepFacts, 'sim' | 'simNetwork' | 'simSlot'> {
  const { label, phoneNumber, carrierName, simSlotIndex } = (id && sims.get(id.toHexString())) ?? {};
  const sim = label ?? phoneNumber;
  if (sim !== undefined) return { sim };
  return {
    simNetwork: carrierName === '' ? undefined : carrierName,
    simSlot: simSlotIndex === undefined ? undefined : simSlotIndex + 1,
  };
}
