import { useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import {
  drainDeviceMutation,
  endDrainMutation,
  listDevicesOptions,
  setDefaultDeviceMutation,
  updateDeviceMutation,
} from '../../../../generated/@tanstack/react-query.gen';
import { useReadAgain } from '../../../api/read-again';
import { showSuccess, showUndo } from '../../../components/notify';
import { type Device, phoneName } from '../../../components/phones/phone';

/** What can be changed of a phone and undone. */
export function usePhoneChanges(device: Device) {
  const { t } = useTranslation();
  const onSuccess = useReadAgain('device', 'sim', 'pool');
  const devices = useQuery(listDevicesOptions());
  const update = useMutation({ ...updateDeviceMutation(), onSuccess });
  const setDefault = useMutation({ ...setDefaultDeviceMutation(), onSuccess });
  const drain = useMutation({ ...drainDeviceMutation(), onSuccess });
  const endDrain = useMutation({ ...endDrainMutation(), onSuccess });
  const path = { id: device._id };
  const name = phoneName(device);
  return {
    rename: async (to: string) => {
      await update.mutateAsync({ path, body: { name: to } });
      showUndo(t('phones.rename.done', { name: to }), () => update.mutate({ path, body: { name } }));
    },
    setEnabled: async (enabled: boolean) => {
      await update.mutateAsync({ path, body: { enabled } });
      const message = enabled ? t('phones.isEnabledNow', { name }) : t('phones.isDisabledNow', { name });
      showUndo(message, () => update.mutate({ path, body: { enabled: !enabled } }));
    },
    setDefault: async () => {
      const previous = devices.data?.data.find(({ isDefault }) => isDefault);
      await setDefault.mutateAsync({ path });
      const message = t('phones.isDefaultNow', { name });
      if (previous) showUndo(message, () => setDefault.mutate({ path: { id: previous._id } }));
      else showSuccess(message);
    },
    setDefaultSim: async (defaultSim: number, sim: string) => {
      const { defaultSim: previous } = device;
      await update.mutateAsync({ path, body: { defaultSim } });
      const message = t('phones.sims.madeDefault', { name: sim });
      if (previous === undefined) showSuccess(message);
      else showUndo(message, () => update.mutate({ path, body: { defaultSim: previous } }));
    },
    drain: async () => {
      await drain.mutateAsync({ path });
      showUndo(t('phones.drain.started', { name }), () => endDrain.mutate({ path }));
    },
    endDrain: async () => {
      await endDrain.mutateAsync({ path });
      showUndo(t('phones.drain.ended', { name }), () => drain.mutate({ path }));
    },
  };
}
