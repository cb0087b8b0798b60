import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Asks before a phone is disabled for which messages wait, because they fail when they are due. */
export function DisablePhoneModal(props: {
  readonly name: string;
  readonly waiting: number;
  readonly onMove: () => void;
  readonly onDisable: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={props.onClose}
      title={<span className="outside-text">{t('phones.disabling.title', { name: props.name })}</span>}
    >
      <Stack>
        <Text size="sm">{t('phones.disabling.warning', { count: props.waiting })}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onClose}>
            {t('common.cancel')}
          </Button>
          <Button variant="light" onClick={props.onMove}>
            {t('phones.disabling.move')}
          </Button>
          <Button color="red" onClick={props.onDisable}>
            {t('phones.disable')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
