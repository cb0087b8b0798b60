import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  getQueueOptions,
  listDevicesOptions,
  listSimsOptions,
} from '../../../generated/@tanstack/react-query.gen';
import { simTitle } from '../../api/sim-name';
import { phoneName, type Sim } from '../../components/phones/phone';
import { phoneOf, type Senders } from './pool';

/** The SIMs and phones of the account, and what waits for them. */
export function useSenders() {
  const { t } = useTranslation();
  const sims = useQuery(listSimsOptions());
  const devices = useQuery(listDevicesOptions());
  const queue = useQuery(getQueueOptions());
  const senders: Senders = {
    sims: sims.data?.data ?? [],
    devices: devices.data?.data ?? [],
    queue: queue.data?.data,
  };
  const titleOf = (sim: Sim) => simTitle(t, sim, phoneOf(sim, senders), senders.sims);
  return {
    senders,
    isLoaded: sims.isSuccess && devices.isSuccess,
    titleOf,
    /** With its phone. */
    fullTitleOf: (sim: Sim) => {
      const phone = phoneOf(sim, senders);
      return `${titleOf(sim)} · ${phone ? phoneName(phone) : t('pools.noPhone')}`;
    },
  };
}
