import type { SimRecord } from './schemas/sim.schema';

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
