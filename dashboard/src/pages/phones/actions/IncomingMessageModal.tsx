import { Alert, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { receiveSmsMutation } from '../../../../generated/@tanstack/react-query.gen';
import { showSuccess } from '../../../components/notify';
import type { Device } from '../../../components/phones/phone';

/** A virtual phone receives nothing by itself. */
export function IncomingMessageModal({
  device,
  onClose,
}: {
  readonly device: Device;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const form = useForm({ initialValues: { sender: '', message: '' } });
  const receive = useMutation({
    ...receiveSmsMutation(),
    onSuccess: ({ data }) => {
      if (data.ignored) return;
      showSuccess(t('phones.receive.done'));
      onClose();
    },
  });
  const result = receive.data?.data;
  return (
    <Modal opened onClose={onClose} title={t('phones.receive.action')}>
      <form onSubmit={form.onSubmit((body) => receive.mutate({ path: { id: device._id }, body }))}>
        <Stack>
          <Text size="sm" c="dimmed">
            {t('phones.receive.hint')}
          </Text>
          <TextInput
            data-autofocus
            required
            label={t('phones.receive.from')}
            maxLength={256}
            {...form.getInputProps('sender')}
          />
          <Textarea
            required
            autosize
            minRows={3}
            maxRows={10}
            label={t('phones.receive.text')}
            {...form.getInputProps('message')}
          />
          {result?.ignored && (
            <Alert color="red" role="alert">
              {t('phones.receive.ignored', { reason: result.reason ?? '' })}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={receive.isPending}>
              {t('phones.receive.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
