import { Alert, List, Text } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { HeldBackResponse } from '../../../generated';
import { useTimeFormat } from '../../components/Time';

/** How many messages wait for what, until when, and what can be done about it. */
export function HeldBack({ heldBack }: { readonly heldBack: readonly HeldBackResponse[] }) {
  const { t, i18n } = useTranslation();
  const { short } = useTimeFormat();
  if (heldBack.length === 0) return null;
  return (
    <Alert color="yellow" icon={<IconHourglass size={18} />} title={t('send.heldBack')} mt="xs">
      <List size="sm" spacing={6} listStyleType="none">
        {heldBack.map(({ reason, count, until }) => (
          <List.Item key={reason}>
            <Text size="sm" className="numeric">
              <b>{new Intl.NumberFormat(i18n.language).format(count)}</b> · {t(`send.waits.${reason}`)}
              {' · '}
              {until ? t('send.heldBackUntil', { until: short(until) }) : t('send.heldBackOpen')}
            </Text>
            <Text size="sm" c="dimmed">
              {t(`campaigns.remedies.${reason}`)}
            </Text>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
