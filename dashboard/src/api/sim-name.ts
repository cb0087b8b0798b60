import type { TFunction } from 'i18next';
import type { AccountSimResponse, DeviceResponse } from '../../generated';

type Sim = Pick<
  AccountSimResponse,
  '_id' | 'device' | 'label' | 'phoneNumber' | 'carrierName' | 'subscriptionId'
>;
type Phone = Pick<DeviceResponse, '_id' | 'simInfo'>;

/** What names a SIM; of `slot`, `number` and `androidId` at most one, which tells it from others of the same name. */
export interface SimName {
  readonly name?: string;
  /** Of its phone, from 1. */
  readonly slot?: number;
  readonly number?: string;
  readonly androidId?: number;
}

/**
 * The label or number of a SIM, else its network and slot. If another SIM of its phone has the same name, it also has its slot,
 * or else its number or the id that Android gives it.
 * @param sims those of the account.
 */
export function simNameOf(sim: Sim, device: Phone | undefined, sims: readonly Sim[]): SimName {
  const { label, phoneNumber, subscriptionId } = sim;
  const shown = shownName(sim);
  const name = shown === undefined ? {} : { name: shown };
  const hasTwin = sims.some(
    (other) => other._id !== sim._id && other.device === sim.device && shownName(other) === shown,
  );
  if ((label ?? phoneNumber) !== undefined && !hasTwin) return name;
  const reported = device?.simInfo?.sims.find((each) => each.subscriptionId === subscriptionId);
  if (reported?.simSlotIndex !== undefined) return { ...name, slot: reported.simSlotIndex + 1 };
  if (!hasTwin) return name;
  if (label !== undefined && phoneNumber !== undefined) return { ...name, number: phoneNumber };
  return subscriptionId === undefined ? name : { ...name, androidId: subscriptionId };
}

const shownName = ({ label, phoneNumber, carrierName }: Sim): string | undefined =>
  [label, phoneNumber, carrierName].find((each) => each !== undefined && each !== '');

/** The name of a SIM in words. */
export function simTitle(t: TFunction, sim: Sim, device: Phone | undefined, sims: readonly Sim[]): string {
  const { name, slot, number, androidId } = simNameOf(sim, device, sims);
  if (slot !== undefined)
    return name === undefined ? t('common.simOfSlot', { slot }) : t('common.simInSlot', { name, slot });
  const title = name ?? t('common.sim');
  if (androidId !== undefined) return t('common.simWithId', { name: title, id: androidId });
  return number === undefined ? title : `${title}, ${number}`;
}
