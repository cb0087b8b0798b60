import { Badge, Group } from '@mantine/core';
import { IconAlertOctagon, IconAlertTriangle, IconCircleCheck, IconPlayerPause } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Device } from '../../components/phones/phone';

const HEALTH = {
  ok: { color: 'teal', icon: IconCircleCheck },
  warning: { color: 'yellow', icon: IconAlertTriangle },
  error: { color: 'red', icon: IconAlertOctagon },
  disabled: { color: 'gray', icon: IconPlayerPause },
} as const;

export function HealthBadge({ device }: { readonly device: Pick<Device, 'enabled' | 'health'> }) {
  const { t } = useTranslation();
  const state = device.enabled ? device.health.state : 'disabled';
  const { color, icon: Icon } = HEALTH[state];
  return (
    <Badge
      variant="light"
      color={color}
      tt="none"
      size="lg"
      leftSection={<Icon size={14} aria-hidden />}
      style={{ flexShrink: 0 }}
    >
      {t(`common.health.${state}`)}
    </Badge>
  );
}

/** What is special about a phone. */
export function PhoneMarks({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const marks = [
    device.isDefault && t('phones.default'),
    device.isVirtual && t('phones.virtual'),
    device.drainingSince && t('phones.draining'),
  ].filter((mark) => typeof mark === 'string');
  if (marks.length === 0) return null;
  return (
    <Group gap={6}>
      {marks.map((mark) => (
        <Badge key={mark} variant="outline" color="gray" tt="none" fw={500}>
          {mark}
        </Badge>
      ))}
    </Group>
  );
}
