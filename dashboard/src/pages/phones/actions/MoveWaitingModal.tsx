import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { moveMessages } from '../../../../generated';
import { useReadAgain } from '../../../api/read-again';
import { showSuccess } from '../../../components/notify';
import { PhoneChoiceModal } from '../../../components/PhoneChoiceModal';
import { type Device, phoneName } from '../../../components/phones/phone';

/** Moves all that waits for a phone to another one. */
export function MoveWaitingModal({
  device,
  onClose,
}: {
  readonly device: Device;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const refresh = useReadAgain('device', 'sim', 'pool');
  const move = useMutation({
    mutationFn: (deviceId: string) => moveAll(device._id, deviceId),
    meta: { showsErrors: true },
    onSuccess: async (count) => {
      onClose();
      showSuccess(count > 0 ? t('phones.move.done', { count }) : t('phones.move.nothing'));
      await refresh();
    },
  });
  return (
    <PhoneChoiceModal
      title={t('phones.move.title', { name: phoneName(device) })}
      text={t('phones.move.text')}
      except={device._id}
      submit={t('phones.move.submit')}
      choice={move}
      onClose={onClose}
    />
  );
}

/** @returns how many messages. */
async function moveAll(fromDeviceId: string, deviceId: string): Promise<number> {
  let total = 0;
  for (;;) {
    const answer = await moveMessages({ body: { fromDeviceId, deviceId }, throwOnError: true });
    const { movedCount, isComplete } = answer.data.data;
    total += movedCount;
    if (isComplete || movedCount === 0) return total;
  }
}
