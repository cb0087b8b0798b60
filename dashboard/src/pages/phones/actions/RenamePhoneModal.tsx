import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Device, phoneName } from '../../../components/phones/phone';
import { usePhoneChanges } from './use-phone-changes';

const MAX_LENGTH = 64;

export function RenamePhoneModal({
  device,
  onClose,
}: {
  readonly device: Device;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { rename } = usePhoneChanges(device);
  const [name, setName] = useState(phoneName(device));
  const trimmed = name.trim();
  return (
    <Modal opened onClose={onClose} title={t('phones.rename.action')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          // An error is shown by a notification, and the form stays.
          if (trimmed) void rename(trimmed).then(onClose, () => undefined);
        }}
      >
        <Stack>
          <TextInput
            data-autofocus
            label={t('phones.rename.label')}
            description={t('phones.rename.description')}
            value={name}
            maxLength={MAX_LENGTH}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" disabled={!trimmed}>
              {t('common.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
