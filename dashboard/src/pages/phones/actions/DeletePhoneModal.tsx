import { Alert, Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deleteDeviceMutation } from '../../../../generated/@tanstack/react-query.gen';
import { useReadAgain } from '../../../api/read-again';
import { errorText, showSuccess } from '../../../components/notify';
import { type Device, phoneName } from '../../../components/phones/phone';

/** Asks for the name, because nothing brings a deleted phone back. */
export function DeletePhoneModal({
  device,
  onClose,
}: {
  readonly device: Device;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useReadAgain('device', 'sim', 'pool');
  const [typed, setTyped] = useState('');
  const [messages, setMessages] = useState('keep');
  const name = phoneName(device);
  const remove = useMutation({
    ...deleteDeviceMutation(),
    meta: { showsErrors: true },
    onSuccess: async () => {
      onClose();
      showSuccess(t('phones.remove.done', { name }));
      await navigate({ to: '/phones' });
      await refresh();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={<span className="outside-text">{t('phones.remove.title', { name })}</span>}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const query = messages === 'delete' ? ({ deleteMessages: 'true' } as const) : {};
          remove.mutate({ path: { id: device._id }, query });
        }}
      >
        <Stack>
          <Text size="sm">{t('phones.remove.warning')}</Text>
          <Radio.Group label={t('phones.remove.messages')} value={messages} onChange={setMessages}>
            <Stack gap="xs" mt="xs">
              <Radio
                value="keep"
                label={t('phones.remove.keepTexts')}
                description={t('phones.remove.keepTextsHint')}
              />
              <Radio
                value="delete"
                label={t('phones.remove.deleteTexts')}
                description={t('phones.remove.deleteTextsHint')}
              />
            </Stack>
          </Radio.Group>
          <TextInput
            label={t('common.typeToConfirm', { name })}
            labelProps={{ className: 'outside-text' }}
            value={typed}
            autoComplete="off"
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {remove.error !== null && (
            <Alert color="red" role="alert">
              {errorText(remove.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button
              type="submit"
              color="red"
              loading={remove.isPending}
              disabled={typed.trim() !== name.trim()}
            >
              {t('phones.remove.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
