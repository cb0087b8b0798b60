import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { AccountSimResponse, DeviceResponse } from '../../generated';
import { simTitle } from './sim-name';
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

/** Changes when a phone or SIM becomes able or unable to send, so that what was estimated before no longer holds. */
export const sendingState = ({ devices, sims }: Pick<Senders, 'devices' | 'sims'>): string =>
  JSON.stringify([
    devices.map(({ _id, enabled, drainingSince, connection }) => [
      _id,
      enabled,
      drainingSince !== undefined,
      connection.state,
    ]),
    sims.map(({ _id, device, subscriptionId, enabled, health, limits }) => [
      _id,
      device,
      subscriptionId,
      enabled,
      health.state,
      limits,
    ]),
  ]);

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
    simName: (sim) =>
      simTitle(
        t,
        sim,
        devices.find(({ _id }) => _id === sim.device),
        sims,
      ),
  };
}
