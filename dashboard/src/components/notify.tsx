import { Button, getDefaultZIndex, Group, Text } from '@mantine/core';
import { randomId } from '@mantine/hooks';
import type { NotificationData } from '@mantine/notifications';
import { lazy, Suspense, useEffect, useState } from 'react';
import { ApiError } from '../api/client';
import i18n from '../i18n';

const load = async () => {
  const [notifications] = await Promise.all([
    import('@mantine/notifications'),
    import('@mantine/notifications/styles.css'),
  ]);
  return notifications;
};
const Notifications = lazy(async () => ({ default: (await load()).Notifications }));

/** Over a dialog, and under a menu that is opened: what a person reaches for is not covered. */
const Z_INDEX = getDefaultZIndex('popover') - 1;

let mount: (() => void) | undefined;

/** Where notices appear. What shows them loads with the first one. */
export function Notices() {
  const [isUsed, setUsed] = useState(false);
  useEffect(() => {
    mount = () => setUsed(true);
  }, []);
  return (
    <Suspense>{isUsed && <Notifications position="bottom-right" limit={4} zIndex={Z_INDEX} />}</Suspense>
  );
}

function show(notice: NotificationData): void {
  mount?.();
  void load().then(({ notifications }) =>
    notifications.show({ closeButtonProps: { 'aria-label': i18n.t('common.close') }, ...notice }),
  );
}

/** The API's own message; what cannot be reached has none. */
export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return i18n.t('common.unexpectedError');
  return error.code === 'UNREACHABLE' ? i18n.t('common.unreachable') : error.message;
}

export function showError(error: unknown): void {
  show({ color: 'red', title: i18n.t('common.failed'), message: errorText(error) });
}

export function showSuccess(message: string): void {
  show({ color: 'teal', message });
}

/** Says what was done, and offers for ten seconds to undo it. */
export function showUndo(message: string, undo: () => void): void {
  const id = randomId();
  const runUndo = () => {
    void load().then(({ notifications }) => notifications.hide(id));
    undo();
  };
  show({
    id,
    color: 'teal',
    autoClose: 10_000,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button size="compact-sm" variant="light" onClick={runUndo} style={{ flexShrink: 0 }}>
          {i18n.t('common.undo')}
        </Button>
      </Group>
    ),
  });
}
