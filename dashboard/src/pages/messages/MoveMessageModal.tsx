import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type MessageResponse, moveMessages } from '../../../generated';
import { ApiError } from '../../api/client';
import { showSuccess } from '../../components/notify';
import { PhoneChoiceModal } from '../../components/PhoneChoiceModal';
import { numberOf } from './message-state';

/** Moves a message that was never handed over to another phone. */
export function MoveMessageModal(props: {
  readonly message: MessageResponse;
  readonly onMoved: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { message, onMoved, onClose } = props;
  const move = useMutation({
    mutationFn: async (deviceId: string) => {
      const body = { deviceId, messageIds: [message._id] };
      const answer = await moveMessages({ body, throwOnError: true });
      const [refused] = answer.data.data.refused;
      if (refused)
        throw new ApiError(t(`messages.move.refused.${refused.code}`), refused.code, answer.response.status);
    },
    meta: { showsErrors: true },
    onSuccess: () => {
      onClose();
      showSuccess(t('messages.move.done'));
      return onMoved();
    },
  });
  return (
    <PhoneChoiceModal
      title={t('messages.move.title', { number: numberOf(message) })}
      text={t('messages.move.text')}
      except={message.device._id}
      submit={t('messages.move.submit')}
      choice={move}
      onClose={onClose}
    />
  );
}
