import { Anchor, Badge, Button, Card, Grid, Group, Spoiler, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { BatchSummaryResponse } from '../../../generated';
import { getAccountBatchOptions, listPoolsOptions } from '../../../generated/@tanstack/react-query.gen';
import { useSenders } from '../../api/senders';
import { countsOf, STATES } from '../../components/batch-counts';
import { textlessTitle } from '../../components/batch-title';
import { CopyButton } from '../../components/CopyButton';
import { statusFilters } from '../messages/filters';
import { MessageStatusBadge } from '../../components/MessageStatusBadge';
import { PageHeader } from '../../components/PageHeader';
import { QueryState } from '../../components/QueryState';
import { Time, useTimeFormat } from '../../components/Time';
import { useIsNarrow } from '../../components/use-is-narrow';
import { CampaignActions } from './CampaignActions';
import { Failures } from './Failures';
import { HeldBack } from './HeldBack';
import { PHASE_COLORS, phaseOf } from './progress';
import { readPreview } from './recipient-preview';
import { StateBar } from './StateBar';

export default function CampaignPage() {
  const { t } = useTranslation();
  const { id = '' } = useParams({ strict: false });
  const batch = useQuery(getAccountBatchOptions({ path: { id } }));
  return (
    <>
      <PageHeader
        title={t('campaigns.one')}
        description={
          <Group gap={4}>
            <Text size="sm" className="outside-text">
              {id}
            </Text>
            <CopyButton value={id} label={t('campaigns.copyId')} />
          </Group>
        }
        actions={batch.data && <CampaignActions batch={batch.data.data} />}
      />
      <QueryState query={batch} lines={8}>
        {({ data }) => <Campaign batch={data} />}
      </QueryState>
    </>
  );
}

function Campaign({ batch }: { readonly batch: BatchSummaryResponse }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const counts = countsOf(batch);
  const phase = phaseOf(batch);
  return (
    <Grid gap="md">
      <Grid.Col span={12}>
        <Card component="section">
          <Group justify="space-between" mb="sm">
            <Title order={2}>{t('send.progress')}</Title>
            <Badge variant="light" color={PHASE_COLORS[phase]} tt="none" role="status">
              {t(`campaigns.phase.${phase}`)}
            </Badge>
          </Group>
          <StateBar counts={counts} size="xl" />
          <HeldBack heldBack={batch.heldBack} />
          <Group mt="md">
            <Button
              variant="default"
              size="xs"
              renderRoot={(props) => <Link to="/messages" search={{ smsBatchId: batch._id }} {...props} />}
            >
              {t('campaigns.showMessages', {
                count: batch.recipientCount,
                number: number.format(batch.recipientCount),
              })}
            </Button>
          </Group>
        </Card>
      </Grid.Col>
      {counts.failed > 0 && (
        <Grid.Col span={12}>
          <Failures id={batch._id} count={counts.failed} />
        </Grid.Col>
      )}
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Card component="section" h="100%">
          <Title order={2} mb="sm">
            {t('campaigns.byState')}
          </Title>
          <Table aria-label={t('campaigns.byState')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('campaigns.state')}</Table.Th>
                <Table.Th ta="end">{t('campaigns.messages')}</Table.Th>
                <Table.Th ta="end">{t('campaigns.share')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {STATES.map((state) => (
                <Table.Tr key={state}>
                  <Table.Td>
                    <MessageStatusBadge status={state} />
                  </Table.Td>
                  <Table.Td ta="end" className="numeric" c={counts[state] === 0 ? 'dimmed' : undefined}>
                    {counts[state] === 0 ? (
                      number.format(0)
                    ) : (
                      <Anchor
                        inherit
                        renderRoot={(props) => (
                          <Link
                            to="/messages"
                            search={{ smsBatchId: batch._id, ...statusFilters(state) }}
                            {...props}
                          />
                        )}
                      >
                        {number.format(counts[state])}
                      </Anchor>
                    )}
                  </Table.Td>
                  <Table.Td ta="end" className="numeric">
                    {new Intl.NumberFormat(i18n.language, {
                      style: 'percent',
                      maximumFractionDigits: 1,
                    }).format(counts[state] / Math.max(1, batch.recipientCount))}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 6 }}>
        <Plan batch={batch} />
      </Grid.Col>
      {batch.sims.length > 0 && (
        <Grid.Col span={12}>
          <Sims batch={batch} />
        </Grid.Col>
      )}
    </Grid>
  );
}

/** Its text, times and options; what was planned beside what came of it. */
function Plan({ batch }: { readonly batch: BatchSummaryResponse }) {
  const { t, i18n } = useTranslation();
  const { timeZone } = useTimeFormat();
  const { phoneName } = useSenders();
  const pools = useQuery({ ...listPoolsOptions(), enabled: batch.poolId !== undefined }).data?.data;
  const text = [batch.messageTemplate, batch.message].find(Boolean);
  const planned = batch.estimatedCompletionAt;
  const preview = batch.recipientPreview ? readPreview(batch.recipientPreview) : undefined;
  const end = batch.completedAt ?? batch.expectedCompletionAt;
  const minutes = planned && end ? Math.round((Date.parse(end) - Date.parse(planned)) / 60_000) : 0;
  const from = batch.poolId
    ? (pools?.find(({ _id }) => _id === batch.poolId)?.name ?? batch.poolId)
    : batch.devices.map((device) => phoneName(device) ?? device).join(', ');
  return (
    <Card component="section" h="100%">
      <Title order={2} mb="sm">
        {t('campaigns.plan')}
      </Title>
      <Stack gap="sm">
        {text && (
          <Spoiler maxHeight={96} showLabel={t('common.more')} hideLabel={t('campaigns.less')}>
            <Text
              className="outside-text"
              style={{
                borderInlineStart: '3px solid var(--mantine-color-default-border)',
                paddingInlineStart: 12,
              }}
            >
              {text}
            </Text>
          </Spoiler>
        )}
        {!text && <Text c="dimmed">{t(textlessTitle(batch.encrypted))}</Text>}
        <Table aria-label={t('campaigns.plan')} layout="fixed">
          <Table.Tbody>
            <Fact name={t('send.from')}>{from}</Fact>
            <Fact name={t('campaigns.createdAt')}>
              <Time value={batch.createdAt} />
            </Fact>
            {batch.scheduledAt && (
              <Fact name={t('campaigns.scheduledFor')}>
                <Time value={batch.scheduledAt} />
              </Fact>
            )}
            {planned && (
              <Fact name={t('campaigns.plannedEnd')}>
                <Time value={planned} />
              </Fact>
            )}
            {batch.expectedCompletionAt && (
              <Fact name={t('campaigns.expectedEnd')}>
                <Time value={batch.expectedCompletionAt} />
                {minutes > 0 && ` (${t('campaigns.laterBy', { count: minutes })})`}
                {minutes < 0 && ` (${t('campaigns.earlierBy', { count: -minutes })})`}
              </Fact>
            )}
            {batch.completedAt && (
              <Fact name={t('campaigns.finishedAt')}>
                <Time value={batch.completedAt} />
                {minutes > 0 && ` (${t('campaigns.laterBy', { count: minutes })})`}
                {minutes < 0 && ` (${t('campaigns.earlierBy', { count: -minutes })})`}
              </Fact>
            )}
            {batch.pausedAt && (
              <Fact name={t('campaigns.pausedAt')}>
                <Time value={batch.pausedAt} />
              </Fact>
            )}
            {batch.validUntil && (
              <Fact name={t('campaigns.validUntil')}>
                <Time value={batch.validUntil} />
              </Fact>
            )}
            {batch.quietHours && (
              <Fact name={t('send.quietHours')}>
                {batch.quietHours.from}–{batch.quietHours.to}
              </Fact>
            )}
            {batch.priority === 'urgent' && <Fact name={t('campaigns.priority')}>{t('send.urgent')}</Fact>}
            <Fact name={t('campaigns.numbers')}>
              {new Intl.NumberFormat(i18n.language).format(batch.recipientCount)}
              {preview &&
                ` (${[preview.first.slice(0, 200), preview.more > 0 && t('campaigns.andMore', { count: preview.more })].filter(Boolean).join(' ')})`}
            </Fact>
          </Table.Tbody>
        </Table>
        <Text size="xs" c="dimmed">
          {t('send.timesIn', { zone: timeZone })}
        </Text>
      </Stack>
    </Card>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} w="38%" style={{ verticalAlign: 'top' }}>
        {name}
      </Table.Th>
      <Table.Td className="outside-text numeric">{children}</Table.Td>
    </Table.Tr>
  );
}

const SIM_STATES = ['delivered', 'sent', 'dispatched', 'pending', 'unknown', 'failed'] as const;

function Sims({ batch }: { readonly batch: BatchSummaryResponse }) {
  const { t, i18n } = useTranslation();
  const { findSim, simName, phoneName } = useSenders();
  const number = new Intl.NumberFormat(i18n.language);
  const isNarrow = useIsNarrow();
  const labelOf = (state: (typeof SIM_STATES)[number]) =>
    state === 'failed' && batch.cancelledCount > 0
      ? t('campaigns.failedOrCancelled')
      : t(`common.status.${state}`);
  return (
    <Card component="section">
      <Title order={2} mb="sm">
        {t('send.bySim')}
      </Title>
      <Table.ScrollContainer
        minWidth={isNarrow ? 0 : 720}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': t('send.bySim') } }}
      >
        <Table aria-label={t('send.bySim')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('campaigns.sim')}</Table.Th>
              <Table.Th visibleFrom="sm">{t('campaigns.phone')}</Table.Th>
              <Table.Th ta="end">{t('campaigns.messages')}</Table.Th>
              {SIM_STATES.map((state) => (
                <Table.Th key={state} ta="end" visibleFrom="sm">
                  {labelOf(state)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {batch.sims.map((counts) => {
              const sim = findSim({ sim: counts.sim });
              const phone = phoneName(counts.device) ?? counts.device;
              const states = SIM_STATES.filter((state) => counts[state] > 0);
              return (
                <Table.Tr key={`${counts.sim} ${counts.device}`}>
                  <Table.Td className="outside-text">
                    {sim ? simName(sim) : counts.sim}
                    {isNarrow && (
                      <>
                        <Text size="sm" className="outside-text">
                          {phone}
                        </Text>
                        <Text size="xs" c="dimmed" className="numeric">
                          {states
                            .map((state) => `${labelOf(state)}: ${number.format(counts[state])}`)
                            .join(' · ')}
                        </Text>
                      </>
                    )}
                  </Table.Td>
                  <Table.Td className="outside-text" visibleFrom="sm">
                    {phone}
                  </Table.Td>
                  <Table.Td ta="end" className="numeric">
                    {number.format(counts.messages)}
                  </Table.Td>
                  {SIM_STATES.map((state) => (
                    <Table.Td
                      key={state}
                      ta="end"
                      className="numeric"
                      visibleFrom="sm"
                      c={counts[state] === 0 ? 'dimmed' : undefined}
                    >
                      {number.format(counts[state])}
                    </Table.Td>
                  ))}
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}
