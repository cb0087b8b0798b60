import { createHash } from 'node:crypto';
import type { SimCardOptions } from './sim-card';
import type { SimOptions } from './sim-slots';

/**
 * Options of the SIMs of a phone, with ids from 1, slots from 0 and ICCIDs that depend only on the serial.
 * @param optionsOf the other options of the SIM in a slot.
 */
export function numberedSims(
  count: number,
  serial: string,
  optionsOf: (slot: number) => SimCardOptions = () => ({}),
): SimOptions[] {
  return Array.from({ length: count }, (_, slot) => ({
    subscriptionId: slot + 1,
    slot,
    iccId: iccIdOf(`${serial} ${slot}`),
    ...optionsOf(slot),
  }));
}

/** 19 digits with a country code that no country has. */
function iccIdOf(text: string): string {
  const hash = createHash('sha256').update(text).digest().readBigUInt64BE();
  return `89999${String(hash % 10n ** 14n).padStart(14, '0')}`;
}
