import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listMessages, type MessageResponse, sendSms } from '../../../generated';
import { cancelMessageMutation, listDevicesOptions } from '../../../generated/@tanstack/react-query.gen';
import { useReadAgain } from '../../api/read-again';
import { blockedPhoneOf, sendAgainSearch } from '../../api/send-again';
import { showSuccess } from '../../components/notify';
import { forgetIdempotencyKey, idempotencyKeyOf, sendAgainBody } from './send-again';

/** What a person can do with a message; the API's errors are shown as notifications. */
export function useMessageActions() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const readAgain = useReadAgain('message');
  const cancel = useMutation({
    ...cancelMessageMutation(),
    onSuccess: ({ data }) => {
      const text =
        data.cancelledCount > 0 ? 'cancelled' : data.requestedCount > 0 ? 'cancelRequested' : 'notCancelled';
      showSuccess(t(`messages.${text}`));
      return readAgain();
    },
  });
  const sendAgain = useMutation({
    mutationFn: async (message: MessageResponse) => {
      const { data: phones } = await queries.query({ ...listDevicesOptions(), staleTime: 0 });
      const isBlocked = !message.encrypted && blockedPhoneOf(message, phones) !== undefined;
      return isBlocked
        ? { search: sendAgainSearch(message, phones) }
        : { id: await sendAsNewMessage(message) };
    },
    onSuccess: async ({ id, search }) => {
      if (search) return navigate({ to: '/send', search });
      showSuccess(t('messages.sentAgain'));
      void readAgain();
      await navigate({ to: '/messages/$id', params: { id } });
    },
  });
  return { cancel, sendAgain, readAgain };
}

/** @returns the id of the new message. */
async function sendAsNewMessage(message: MessageResponse): Promise<string> {
  const headers = { 'Idempotency-Key': idempotencyKeyOf(message._id) };
  const sent = await sendSms({ body: sendAgainBody(message), headers, throwOnError: true });
  forgetIdempotencyKey(message._id);
  const { smsBatchId } = sent.data.data;
  const { data } = await listMessages({ query: { smsBatchId, limit: 1 }, throwOnError: true });
  return data.data[0]?._id ?? '';
}
