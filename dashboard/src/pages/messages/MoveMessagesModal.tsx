import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { type MessageResponse, moveMessages } from '../../../generated';
import { ApiError } from '../../api/client';
import { showSuccess } from '../../components/notify';
import { PhoneChoiceModal } from '../../components/PhoneChoiceModal';
import { numberOf } from './message-state';

/** Moves messages that were never handed over to another phone. */
export function MoveMessagesModal(props: {
  readonly messages: readonly MessageResponse[];
  readonly onMoved: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { messages, onMoved, onClose } = props;
  const [first] = messages;
  const devices = new Set(messages.map(({ device }) => device._id));
  const count = messages.length;
  const move = useMutation({
    mutationFn: async (deviceId: string) => {
      const body = { deviceId, messageIds: messages.map(({ _id }) => _id) };
      const answer = await moveMessages({ body, throwOnError: true });
      const { movedCount, refused } = answer.data.data;
      const [reason] = refused;
      if (reason && movedCount === 0)
        throw new ApiError(t(`messages.move.refused.${reason.code}`), reason.code, answer.response.status);
      return { movedCount, reason };
    },
    meta: { showsErrors: true },
    onSuccess: ({ movedCount, reason }) => {
      onClose();
      const done = t('messages.move.done', { count: movedCount });
      const rest = reason && `${t('messages.move.notAll')} ${t(`messages.move.refused.${reason.code}`)}`;
      showSuccess(rest ? `${done} ${rest}` : done);
      return onMoved();
    },
  });
  return (
    <PhoneChoiceModal
      title={
        count === 1 && first
          ? t('messages.move.title', { number: numberOf(first) })
          : t('messages.move.titleOfSome', { count })
      }
      text={t('messages.move.text', { count })}
      {...(devices.size === 1 && { except: first?.device._id })}
      submit={t('messages.move.submit')}
      choice={move}
      onClose={onClose}
    />
  );
}
