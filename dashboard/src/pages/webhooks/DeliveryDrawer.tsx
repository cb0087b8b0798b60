import { Alert, Anchor, Button, Drawer, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconRefresh, IconTool } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  getWebhookNotificationOptions,
  redeliverWebhookNotificationMutation,
} from '../../../generated/@tanstack/react-query.gen';
import type { DeliveryDetailResponse } from '../../../generated/types.gen';
import { useReadAgain } from '../../api/read-again';
import { CopyButton } from '../../components/CopyButton';
import { showSuccess } from '../../components/notify';
import { QueryState } from '../../components/QueryState';
import { Time, useTimeFormat } from '../../components/Time';
import { DeliveryBadge } from './badges';
import { Exchange } from './Exchange';
import { Figure } from './FigureRow';
import { useDuration } from './use-webhooks';
import classes from './Webhooks.module.css';
import { remedyOf } from './webhook';

/** Besides the hints of the event stream, which may be away. */
const POLL_MS = 2_000;
const REFRESH_MS = 30_000;

const isDue = (delivery: DeliveryDetailResponse | undefined) =>
  delivery?.nextDeliveryAttemptAt !== undefined &&
  Date.parse(delivery.nextDeliveryAttemptAt) <= Date.now() + POLL_MS;

/** One delivery: what was posted, what was answered, what to do, and each attempt. */
export function DeliveryDrawer(props: {
  readonly id: string;
  readonly isActive: boolean;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const delivery = useQuery({
    ...getWebhookNotificationOptions({ path: { id: props.id } }),
    refetchInterval: ({ state }) => (isDue(state.data?.data) ? POLL_MS : REFRESH_MS),
  });
  return (
    <Drawer opened onClose={props.onClose} position="right" size="lg" title={t('webhooks.delivery.title')}>
      <QueryState query={delivery}>
        {({ data }) => <Details delivery={data} isActive={props.isActive} />}
      </QueryState>
    </Drawer>
  );
}

function Details({
  delivery,
  isActive,
}: {
  readonly delivery: DeliveryDetailResponse;
  readonly isActive: boolean;
}) {
  const { t } = useTranslation();
  const refresh = useReadAgain('webhook', 'delivery');
  const redeliver = useMutation({
    ...redeliverWebhookNotificationMutation(),
    onSuccess: async () => {
      showSuccess(t('webhooks.delivery.redelivering'));
      await refresh();
    },
  });
  const message = delivery.smsData?._id;
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs" role="status">
          <Text fw={600}>{t(`webhooks.event.${delivery.event}`)}</Text>
          <DeliveryBadge state={delivery.computedStatus} />
        </Group>
        <Button
          size="xs"
          leftSection={<IconRefresh size={14} aria-hidden />}
          disabled={!isActive}
          loading={redeliver.isPending}
          onClick={() => redeliver.mutate({ path: { id: delivery._id } })}
        >
          {t('webhooks.delivery.redeliver')}
        </Button>
      </Group>
      {!isActive && (
        <Text size="xs" c="dimmed">
          {t('webhooks.replaying.paused')}
        </Text>
      )}
      <RemedyAlert delivery={delivery} />
      <Group gap="xl" className={classes.figures}>
        <Figure label={t('webhooks.delivery.recorded')}>
          <Time value={delivery.createdAt} />
        </Figure>
        <Figure label={t('webhooks.delivery.key')}>
          <Group gap={4} wrap="nowrap">
            <span className="outside-text">{delivery._id}</span>
            <CopyButton value={delivery._id} />
          </Group>
        </Figure>
        {message && (
          <Figure label={t('webhooks.delivery.message')}>
            <Anchor component={Link} to={`/messages/${message}`} size="sm">
              {t('webhooks.delivery.openMessage')}
            </Anchor>
          </Figure>
        )}
      </Group>
      <Exchange
        url={delivery.deliveryUrl}
        payload={delivery.payload}
        status={delivery.httpStatusCode}
        body={delivery.responseBody}
        error={delivery.attempts.at(-1)?.error}
        durationMs={delivery.lastAttemptDurationMs}
        isAnswered={delivery.deliveryAttemptCount > 0}
      />
      {delivery.attempts.length > 0 && <Attempts attempts={delivery.attempts} />}
    </Stack>
  );
}

function RemedyAlert({ delivery }: { readonly delivery: DeliveryDetailResponse }) {
  const { t } = useTranslation();
  const { short } = useTimeFormat();
  const remedy = remedyOf(delivery);
  if (!remedy) return null;
  const { nextDeliveryAttemptAt: next, computedStatus, httpStatusCode, attempts } = delivery;
  const cause = httpStatusCode === undefined ? attempts.at(-1)?.error : undefined;
  return (
    <Alert
      color={computedStatus === 'failed' ? 'red' : 'orange'}
      icon={<IconTool aria-hidden />}
      title={t('webhooks.delivery.remedy')}
    >
      {cause !== undefined && (
        <Text size="sm" fw={600} className="outside-text">
          {cause}
        </Text>
      )}
      {t(`webhooks.remedy.${remedy}`)}{' '}
      {next ? t('webhooks.delivery.again', { time: short(next) }) : t('webhooks.delivery.noMore')}
    </Alert>
  );
}

function Attempts({ attempts }: { readonly attempts: DeliveryDetailResponse['attempts'] }) {
  const { t } = useTranslation();
  const duration = useDuration();
  return (
    <Stack gap="xs">
      <Title order={3}>{t('webhooks.delivery.attempts')}</Title>
      <Table aria-label={t('webhooks.delivery.attempts')}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('webhooks.delivery.attemptAt')}</Table.Th>
            <Table.Th>{t('webhooks.delivery.attemptResult')}</Table.Th>
            <Table.Th ta="right">{t('webhooks.deliveries.duration')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {attempts.toReversed().map(({ at, error, httpStatusCode, durationMs }) => (
            <Table.Tr key={at}>
              <Table.Td>
                <Time value={at} />
              </Table.Td>
              <Table.Td className="outside-text">
                {error ?? `${t('webhooks.delivery.succeeded')} (${httpStatusCode ?? ''})`}
              </Table.Td>
              <Table.Td ta="right" className="numeric">
                {duration(durationMs)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        {t('webhooks.delivery.attemptsNote')}
      </Text>
    </Stack>
  );
}
