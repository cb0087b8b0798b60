import type { TFunction } from 'i18next';
import { type Device, type Sim, simParts } from '../phone';

/** The name of a SIM: its label or number, else its network and slot. */
export function simTitle(t: TFunction, sim: Sim, device: Device | undefined): string {
  const { name = t('phones.sims.sim'), slot } = simParts(sim, device);
  return slot === undefined ? name : t('phones.sims.inSlot', { name, slot });
}
