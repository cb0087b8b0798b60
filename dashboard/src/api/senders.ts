import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AccountSimResponse, DeviceResponse } from '../../generated';
import { listDevicesOptions, listSimsOptions } from '../../generated/@tanstack/react-query.gen';

/** What names the SIM of a message: its id, or that of Android on a phone. */
export interface SimReference {
  readonly device?: string;
  readonly sim?: string;
  readonly simSubscriptionId?: number;
}

export interface Senders {
  readonly devices: readonly DeviceResponse[];
  readonly sims: readonly AccountSimResponse[];
  readonly isLoaded: boolean;
  /** Whether messages can come from more than one SIM, so that it matters which. */
  readonly isPlural: boolean;
  readonly findSim: (reference: SimReference) => AccountSimResponse | undefined;
  readonly phoneName: (id: string | undefined) => string | undefined;
  readonly simName: (sim: AccountSimResponse) => string;
}

export const deviceName = ({ name, brand, model }: Pick<DeviceResponse, 'name' | 'brand' | 'model'>) =>
  name ?? `${brand} ${model}`;

/** The phones and SIMs of the account, and their names. Empty until they are read. */
export function useSenders(): Senders {
  const { t } = useTranslation();
  const listedDevices = useQuery(listDevicesOptions()).data;
  const listedSims = useQuery(listSimsOptions()).data;
  const devices = listedDevices?.data ?? [];
  // A phone that reports no SIMs has one without anything that would name it.
  const sims = (listedSims?.data ?? []).filter(
    (sim) => (sim.subscriptionId ?? sim.iccId ?? sim.label) !== undefined,
  );
  const phoneName = (id: string | undefined) => {
    const found = devices.find(({ _id }) => _id === id);
    return found && deviceName(found);
  };
  return {
    devices,
    sims,
    isLoaded: listedDevices !== undefined && listedSims !== undefined,
    isPlural: devices.length > 1 || sims.length > 1,
    findSim: ({ device, sim, simSubscriptionId }) =>
      sims.find(
        (each) =>
          (sim !== undefined && each._id === sim) ||
          (simSubscriptionId !== undefined &&
            each.device === device &&
            each.subscriptionId === simSubscriptionId),
      ),
    phoneName,
    simName: ({ label, carrierName, phoneNumber, subscriptionId }) =>
      label ?? carrierName ?? phoneNumber ?? t('send.simNumber', { number: subscriptionId ?? '' }),
  };
}
