import { UNKNOWN } from './registration/device-matching';
import type { Device } from './device.schema';
import type { SimRecord } from './sims/sim.schema';

/** The owner's name of a phone, else its model; undefined if neither is known. */
export function deviceNameOf({ name, model }: Pick<Device, 'name' | 'model'>): string | undefined {
  if (name) return name;
  return model && model !== UNKNOWN ? model : undefined;
}

/**
 * The name of a SIM within a sentence: its label, else its number, else its network and slot.
 * @param fallback if none of them is known.
 */
export function simNameOf(sim: Partial<SimRecord>, fallback: string): string {
  const { label, phoneNumber } = sim;
  if (label !== undefined) return `the SIM "${label}"`;
  if (phoneNumber !== undefined) return `the SIM ${phoneNumber}`;
  const place = networkAndSlot(sim);
  return place === 'SIM' ? fallback : `the ${place}`;
}

/** The name of a SIM on its own. */
export const simTitleOf = (sim: Partial<SimRecord>): string =>
  sim.label ?? sim.phoneNumber ?? networkAndSlot(sim);

function networkAndSlot({ carrierName, simSlotIndex }: Partial<SimRecord>): string {
  const slot = simSlotIndex === undefined ? '' : ` in slot ${simSlotIndex + 1}`;
  return carrierName ? `${carrierName} SIM${slot}` : `SIM${slot}`;
}
