import { Badge } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconClock,
  IconPlayerPause,
  IconRefresh,
  IconX,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import type { DeliveryState, WebhookState } from './webhook';

type Look = readonly [color: string, icon: ComponentType<{ size: number; 'aria-hidden': true }>];

const WEBHOOK_LOOKS: Record<WebhookState, Look> = {
  active: ['teal', IconCheck],
  unused: ['gray', IconClock],
  failing: ['red', IconAlertTriangle],
  paused: ['yellow', IconPlayerPause],
  autoPaused: ['red', IconPlayerPause],
  secretLost: ['red', IconAlertTriangle],
};

export function WebhookBadge({ state }: { readonly state: WebhookState }) {
  const { t } = useTranslation();
  return <LookBadge look={WEBHOOK_LOOKS[state]} text={t(`webhooks.state.${state}`)} />;
}

const DELIVERY_LOOKS: Record<DeliveryState, Look> = {
  pending: ['gray', IconClock],
  retrying: ['orange', IconRefresh],
  delivered: ['teal', IconCheck],
  failed: ['red', IconX],
};

export function DeliveryBadge({ state }: { readonly state: DeliveryState }) {
  const { t } = useTranslation();
  return <LookBadge look={DELIVERY_LOOKS[state]} text={t(`webhooks.delivery.${state}`)} />;
}

function LookBadge({ look: [color, Icon], text }: { readonly look: Look; readonly text: string }) {
  return (
    <Badge
      variant="light"
      color={color}
      tt="none"
      fw={600}
      leftSection={<Icon size={12} aria-hidden />}
      miw="max-content"
    >
      {text}
    </Badge>
  );
}
