import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export const MESSAGE_COLORS = {
  pending: 'gray',
  dispatched: 'blue',
  sent: 'cyan',
  delivered: 'teal',
  failed: 'red',
  cancelled: 'orange',
  suppressed: 'grape',
  received: 'violet',
  unknown: 'yellow',
} as const;

/** `cancelled` is a failed message that its owner took back, `suppressed` one whose recipient is blocked. */
export type ShownStatus = keyof typeof MESSAGE_COLORS;

const isShown = (status: string): status is ShownStatus => status in MESSAGE_COLORS;

export function MessageStatusBadge({ status }: { readonly status: string }) {
  const { t } = useTranslation();
  const shown = isShown(status) ? status : 'unknown';
  return (
    <Badge variant="light" color={MESSAGE_COLORS[shown]} tt="none" fw={600} style={{ flexShrink: 0 }}>
      {t(`common.status.${shown}`)}
    </Badge>
  );
}
