import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { replaceDevice } from '../../../../generated';
import { useReadAgain } from '../../../api/read-again';
import { useSenders } from '../../../api/senders';
import { showSuccess } from '../../../components/notify';
import { PhoneChoiceModal } from '../../../components/PhoneChoiceModal';
import { type Device, phoneName } from '../../../components/phones/phone';

/** For a phone that is lost, broken or reset: another one takes its place. */
export function ReplacePhoneModal({
  device,
  onClose,
}: {
  readonly device: Device;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useReadAgain('device', 'sim', 'pool');
  const senders = useSenders();
  const name = phoneName(device);
  const replace = useMutation({
    mutationFn: async (deviceId: string) => {
      const answer = await replaceDevice({
        path: { id: device._id },
        body: { deviceId },
        throwOnError: true,
      });
      return { deviceId, ...answer.data.data };
    },
    meta: { showsErrors: true },
    onSuccess: async ({ deviceId, movedCount, unconfirmedCount }) => {
      onClose();
      const other = senders.phoneName(deviceId) ?? '';
      showSuccess(
        [
          t('phones.replace.done', { name, other }),
          movedCount > 0 && t('phones.move.done', { count: movedCount }),
          unconfirmedCount > 0 && t('phones.replace.unconfirmed', { count: unconfirmedCount }),
        ]
          .filter(Boolean)
          .join(' '),
      );
      await navigate({ to: '/phones/$id', params: { id: deviceId } });
      await refresh();
    },
  });
  return (
    <PhoneChoiceModal
      title={t('phones.replace.title', { name })}
      text={t('phones.replace.text')}
      except={device._id}
      submit={t('phones.replace.submit')}
      color="red"
      choice={replace}
      onClose={onClose}
    />
  );
}
