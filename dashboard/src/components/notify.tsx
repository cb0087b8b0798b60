import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { ApiError } from '../api/client';
import i18n from '../i18n';

/** The API's own message; what cannot be reached has none. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return i18n.t('common.unexpectedError');
  return error.code === 'UNREACHABLE' ? i18n.t('common.unreachable') : error.message;
}

const closeButtonProps = () => ({ 'aria-label': i18n.t('common.close') });

export function showError(error: unknown): void {
  notifications.show({
    closeButtonProps: closeButtonProps(),
    color: 'red',
    title: i18n.t('common.failed'),
    message: errorText(error),
  });
}

export function showSuccess(message: string): void {
  notifications.show({ closeButtonProps: closeButtonProps(), color: 'teal', message });
}

/** Says what was done, and offers for ten seconds to undo it. */
export function showUndo(message: string, undo: () => void): void {
  const id = notifications.show({
    closeButtonProps: closeButtonProps(),
    color: 'teal',
    autoClose: 10_000,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="light"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          {i18n.t('common.undo')}
        </Button>
      </Group>
    ),
  });
}
