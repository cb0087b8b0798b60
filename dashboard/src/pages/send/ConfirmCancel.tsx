import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Asks before several messages are cancelled, which cannot be undone. */
export function ConfirmCancel(props: {
  readonly count: number;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { count, onConfirm, onClose } = props;
  return (
    <Modal opened onClose={onClose} title={t('send.confirm.cancel', { count })}>
      <Stack>
        <Text size="sm">{t('send.confirm.cancelText')}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('send.confirm.keep')}
          </Button>
          <Button color="red" data-autofocus onClick={onConfirm}>
            {t('send.cancelRest')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
