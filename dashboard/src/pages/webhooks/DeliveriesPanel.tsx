import {
  Anchor,
  Button,
  Group,
  Pagination,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listWebhookNotificationsOptions } from '../../../generated/@tanstack/react-query.gen';
import { QueryState } from '../../components/QueryState';
import { Time, useTimeFormat } from '../../components/Time';
import { useTimeZone } from '../../preferences/time-zone';
import { DeliveryBadge } from './badges';
import { type DeliveryFilters, filterQuery, readFilters } from './delivery-filters';
import { useAddress, useDuration } from './use-webhooks';
import { type Delivery, DELIVERY_STATES, EMITTED_EVENTS, type Webhook } from './webhook';

const PAGE_SIZE = 25;

/** The deliveries of a webhook; filters, page and open row are in the address. */
export function DeliveriesPanel({ webhook }: { readonly webhook: Webhook }) {
  const { t, i18n } = useTranslation();
  const [timeZone] = useTimeZone();
  const [search, change] = useAddress();
  const filters = readFilters(search);
  const page = Math.max(1, Number(search.page) || 1);
  const query = {
    webhookSubscriptionId: webhook._id,
    page,
    limit: PAGE_SIZE,
    ...filterQuery(filters, timeZone),
  };
  const deliveries = useQuery({
    ...listWebhookNotificationsOptions({ query }),
    placeholderData: keepPreviousData,
  });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const clear = () =>
    change({ status: undefined, event: undefined, from: undefined, to: undefined, page: undefined });
  return (
    <Stack>
      <Title order={2}>{t('webhooks.deliveries.title')}</Title>
      <Filters filters={filters} onChange={(changes) => change({ ...changes, page: undefined })} />
      <QueryState query={deliveries} lines={8}>
        {({ data: { data, meta } }) =>
          data.length === 0 ? (
            <Group>
              <Text c="dimmed">
                {t(isFiltered ? 'webhooks.deliveries.noneFound' : 'webhooks.deliveries.none')}
              </Text>
              {isFiltered ? (
                <Button size="xs" variant="default" onClick={clear}>
                  {t('webhooks.deliveries.clear')}
                </Button>
              ) : (
                <Button size="xs" variant="default" onClick={() => change({ tab: 'test' })}>
                  {t('webhooks.test.submit')}
                </Button>
              )}
            </Group>
          ) : (
            <>
              <DeliveryTable deliveries={data} onOpen={(delivery) => change({ delivery })} />
              <Group justify="space-between">
                <Text size="sm" c="dimmed" className="numeric" role="status">
                  {t('webhooks.deliveries.count', {
                    count: meta.total,
                    formatParams: { count: { locale: i18n.language } },
                  })}
                </Text>
                {meta.totalPages > 1 && (
                  <Pagination
                    component="nav"
                    aria-label={t('webhooks.deliveries.pages')}
                    total={meta.totalPages}
                    value={page}
                    onChange={(to) => change({ page: to === 1 ? undefined : String(to) })}
                    getControlProps={(control) => ({
                      'aria-label':
                        control === 'next'
                          ? t('webhooks.deliveries.nextPage')
                          : t('webhooks.deliveries.previousPage'),
                    })}
                    size="sm"
                  />
                )}
              </Group>
            </>
          )
        }
      </QueryState>
    </Stack>
  );
}

function Filters(props: {
  readonly filters: DeliveryFilters;
  readonly onChange: (changes: Record<string, string | undefined>) => void;
}) {
  const { t } = useTranslation();
  const [timeZone] = useTimeZone();
  const { filters, onChange } = props;
  return (
    <Group gap="xs" align="flex-end">
      <Select
        w={170}
        label={t('webhooks.deliveries.status')}
        placeholder={t('webhooks.deliveries.anyStatus')}
        data={DELIVERY_STATES.map((value) => ({ value, label: t(`webhooks.delivery.${value}`) }))}
        value={filters.status ?? null}
        onChange={(status) => onChange({ status: status ?? undefined })}
        clearable
      />
      <Select
        w={210}
        label={t('webhooks.deliveries.event')}
        placeholder={t('webhooks.deliveries.anyEvent')}
        data={EMITTED_EVENTS.map((value) => ({ value, label: t(`webhooks.event.${value}`) }))}
        value={filters.event ?? null}
        onChange={(event) => onChange({ event: event ?? undefined })}
        clearable
      />
      {(['from', 'to'] as const).map((name) => (
        <TextInput
          key={name}
          w={150}
          type="date"
          title={timeZone}
          label={t(`webhooks.deliveries.${name}`)}
          value={filters[name] ?? ''}
          onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value || undefined })}
        />
      ))}
    </Group>
  );
}

function DeliveryTable(props: {
  readonly deliveries: readonly Delivery[];
  readonly onOpen: (id: string) => void;
}) {
  const { t } = useTranslation();
  const { short } = useTimeFormat();
  const duration = useDuration();
  return (
    <Table highlightOnHover verticalSpacing="xs" aria-label={t('webhooks.deliveries.title')}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('webhooks.deliveries.event')}</Table.Th>
          <Table.Th>{t('webhooks.deliveries.status')}</Table.Th>
          <Table.Th visibleFrom="sm">{t('webhooks.deliveries.about')}</Table.Th>
          <Table.Th visibleFrom="sm">{t('webhooks.deliveries.answer')}</Table.Th>
          <Table.Th visibleFrom="md" ta="right">
            {t('webhooks.deliveries.attempts')}
          </Table.Th>
          <Table.Th visibleFrom="md" ta="right">
            {t('webhooks.deliveries.duration')}
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {props.deliveries.map((delivery) => (
          <Table.Tr
            key={delivery._id}
            style={{ cursor: 'pointer' }}
            onClick={() => props.onOpen(delivery._id)}
          >
            <Table.Td>
              <Anchor
                component="button"
                type="button"
                size="sm"
                fw={500}
                ta="left"
                aria-label={t('webhooks.deliveries.open', {
                  event: t(`webhooks.event.${delivery.event}`),
                  time: short(delivery.createdAt),
                })}
              >
                {t(`webhooks.event.${delivery.event}`)}
              </Anchor>
              <Text size="xs" c="dimmed" component="div">
                <Time value={delivery.createdAt} />
              </Text>
            </Table.Td>
            <Table.Td>
              <DeliveryBadge state={delivery.computedStatus} />
            </Table.Td>
            <Table.Td visibleFrom="sm" maw={260}>
              <Text size="sm" className="outside-text" lineClamp={1}>
                {subjectOf(delivery)}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm" className="numeric">
              {delivery.httpStatusCode ??
                (delivery.deliveryAttemptCount > 0 ? t('webhooks.deliveries.noAnswer') : '')}
            </Table.Td>
            <Table.Td visibleFrom="md" ta="right" className="numeric">
              {delivery.deliveryAttemptCount}
            </Table.Td>
            <Table.Td visibleFrom="md" ta="right" className="numeric">
              {delivery.lastAttemptDurationMs === undefined ? '' : duration(delivery.lastAttemptDurationMs)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The number or name on the other side, or else the phone. */
function subjectOf({ smsData, deviceData }: Delivery): string {
  const phone = deviceData && (deviceData.name ?? `${deviceData.brand} ${deviceData.model}`);
  return smsData?.recipient ?? smsData?.sender ?? phone ?? '';
}
