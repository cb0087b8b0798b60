import { Box, Group, Stack, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Time } from '../../components/Time';
import classes from './Webhooks.module.css';
import { useDuration, useRecentDeliveries } from './use-webhooks';
import { type Delivery, figuresOf, type Webhook } from './webhook';

/** How the latest deliveries of a webhook went. */
export function FigureRow({ webhook }: { readonly webhook: Webhook }) {
  const { t, i18n } = useTranslation();
  const recent = useRecentDeliveries(webhook._id);
  const deliveries = recent.data ?? [];
  const { attempted, delivered, latencyMs } = figuresOf(deliveries);
  const duration = useDuration();
  const isUnused = !webhook.lastDeliverySuccessAt && !webhook.lastDeliveryFailureAt;
  const percent = new Intl.NumberFormat(i18n.language, { style: 'percent' });
  return (
    <Group gap="xl" align="flex-start" className={classes.figures}>
      {attempted > 0 && (
        <>
          <Figure label={t('webhooks.figures.recent', { count: attempted })}>
            <RecentBars
              deliveries={deliveries}
              label={t('webhooks.figures.recentLabel', { count: attempted, delivered })}
            />
          </Figure>
          <Figure label={t('webhooks.figures.successRate')}>{percent.format(delivered / attempted)}</Figure>
        </>
      )}
      {latencyMs !== undefined && (
        <Figure label={t('webhooks.figures.latency')}>{duration(latencyMs)}</Figure>
      )}
      {isUnused ? (
        <Text size="sm" c="dimmed">
          {t('webhooks.state.unused')}
        </Text>
      ) : (
        <>
          <Figure label={t('webhooks.figures.lastSuccess')}>
            <TimeOrNever value={webhook.lastDeliverySuccessAt} />
          </Figure>
          <Figure label={t('webhooks.figures.lastFailure')}>
            <TimeOrNever value={webhook.lastDeliveryFailureAt} />
          </Figure>
        </>
      )}
    </Group>
  );
}

function TimeOrNever({ value }: { readonly value: string | undefined }) {
  const { t } = useTranslation();
  return value ? <Time value={value} /> : t('webhooks.figures.never');
}

export function Figure({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <Stack gap={2}>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text component="div" size="sm" fw={600} className="numeric">
        {children}
      </Text>
    </Stack>
  );
}

/** One bar for each delivery, the oldest first; those that were not accepted are lower and red. */
function RecentBars({
  deliveries,
  label,
}: {
  readonly deliveries: readonly Delivery[];
  readonly label: string;
}) {
  const attempted = deliveries.filter(({ deliveryAttemptCount }) => deliveryAttemptCount > 0);
  return (
    <Tooltip label={label}>
      <Group gap={2} h={20} align="flex-end" wrap="nowrap" role="img" aria-label={label}>
        {attempted.toReversed().map(({ _id, computedStatus }) => (
          <Box
            key={_id}
            w={4}
            h={computedStatus === 'delivered' ? 18 : 8}
            bg={computedStatus === 'delivered' ? 'teal.6' : 'red.6'}
            style={{ borderRadius: 2 }}
          />
        ))}
      </Group>
    </Tooltip>
  );
}
