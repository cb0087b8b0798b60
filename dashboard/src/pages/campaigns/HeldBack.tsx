import { Alert, List, Text } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { HeldBackResponse } from '../../../generated';
import { useTimeFormat } from '../../components/Time';
import { isAsSet } from '../../components/wait-reasons';

/** How many messages wait for what, until when, and what can be done about it. */
export function HeldBack({
  heldBack,
  zone,
}: {
  readonly heldBack: readonly HeldBackResponse[];
  /** Of its times, instead of the preferred one. */
  readonly zone?: string;
}) {
  const { t, i18n } = useTranslation();
  const { short } = useTimeFormat(zone);
  if (heldBack.length === 0) return null;
  return (
    <Alert
      color={heldBack.every(({ reason }) => isAsSet(reason)) ? 'gray' : 'yellow'}
      icon={<IconHourglass size={18} />}
      title={t('send.heldBack')}
      mt="xs"
    >
      <List size="sm" spacing={6} listStyleType="none">
        {heldBack.map(({ reason, count, until }) => (
          <List.Item key={reason}>
            <Text size="sm" className="numeric">
              <b>{new Intl.NumberFormat(i18n.language).format(count)}</b> · {t(`waits.${reason}`)}
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
