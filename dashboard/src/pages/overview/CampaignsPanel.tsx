import { Anchor, Group, Progress, Stack, Text } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { type BatchSummaryResponse, getAccountBatch } from '../../../generated';
import { listBatchesOptions } from '../../../generated/@tanstack/react-query.gen';
import { titleOf } from '../../components/batch-title';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { progressOf } from './campaigns';
import { Panel } from './Panel';
import { HeldBack } from './HeldBack';

/** Each is one more call. */
const MAX_CAMPAIGNS = 5;

const REFRESH_MS = 10_000;

/** Read from time to time and not at each message, because reading the states of a large campaign takes some work. */
const progressOptions = (id: string) => ({
  queryKey: ['overview-campaign', id],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await getAccountBatch({ path: { id }, signal, throwOnError: true })).data.data,
  refetchInterval: ({ state }: { state: { data?: BatchSummaryResponse } }) =>
    state.data && !progressOf(state.data) ? (false as const) : REFRESH_MS,
});

/** Of the latest sends to several numbers, those that are not finished. */
export function CampaignsPanel() {
  const { t } = useTranslation();
  const batches = useQuery(listBatchesOptions({ query: { limit: MAX_CAMPAIGNS, minRecipients: 2 } }));
  const latest = batches.data?.data ?? [];
  const read = useQueries({ queries: latest.map(({ _id }) => progressOptions(_id)) });
  const running = read.flatMap(({ data }) => (data && progressOf(data) ? [data] : []));
  return (
    <Panel
      title={t('overview.campaigns.title')}
      more={{ to: '/campaigns', label: t('overview.campaigns.more') }}
    >
      <QueryState query={batches} lines={3}>
        {() =>
          running.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('overview.campaigns.nothing')}
            </Text>
          ) : (
            <Stack gap="md" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
              {running.map((batch) => (
                <Campaign key={batch._id} batch={batch} />
              ))}
            </Stack>
          )
        }
      </QueryState>
    </Panel>
  );
}

function Campaign({ batch }: { readonly batch: BatchSummaryResponse }) {
  const { t } = useTranslation();
  const { heldBack, expectedCompletionAt, pausedAt } = batch;
  const progress = progressOf(batch);
  if (!progress) return null;
  const { done, failed, total } = progress;
  const percent = (part: number) => (part / total) * 100;
  return (
    <li>
      <Anchor
        renderRoot={(root) => <Link to="/campaigns/$id" params={{ id: batch._id }} {...root} />}
        size="sm"
        fw={600}
        lineClamp={2}
        className="outside-text"
      >
        {titleOf(batch, t)}
      </Anchor>
      <Progress.Root size="sm" my={6} aria-hidden>
        <Progress.Section value={percent(done)} color="teal" withAria={false} />
        <Progress.Section value={percent(failed)} color="red" withAria={false} />
      </Progress.Root>
      <Group gap="md" style={{ rowGap: 2 }}>
        <Text size="xs" c="dimmed" className="numeric">
          {t('overview.campaigns.done', { done, total })}
        </Text>
        {failed > 0 && (
          <Text size="xs" c="var(--mantine-color-red-text)" className="numeric">
            {t('overview.campaigns.failed', { count: failed })}
          </Text>
        )}
        {pausedAt && <Text size="xs">{t('waits.paused')}</Text>}
        {expectedCompletionAt && !pausedAt && (
          <Text size="xs" c="dimmed" component="div">
            {t('overview.queue.endsAt')} <Time value={expectedCompletionAt} />
          </Text>
        )}
      </Group>
      <HeldBack entries={heldBack.filter(({ reason }) => reason !== 'paused')} />
    </li>
  );
}
