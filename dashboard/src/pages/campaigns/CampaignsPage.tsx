import {
  Alert,
  Anchor,
  Badge,
  Button,
  Card,
  Grid,
  Group,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  Text,
} from '@mantine/core';
import { IconPlus, IconSpeakerphone } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { ListedBatchResponse } from '../../../generated';
import { listBatchesOptions } from '../../../generated/@tanstack/react-query.gen';
import { countsOf } from '../../components/batch-counts';
import { titleOf } from '../../components/batch-title';
import { EmptyState } from '../../components/EmptyState';
import { PageHeader } from '../../components/PageHeader';
import { QueryState } from '../../components/QueryState';
import { Time, useTimeFormat } from '../../components/Time';
import { CampaignActions } from './CampaignActions';
import { PHASE_COLORS, phaseOf, progressOptions } from './progress';
import { StateBar } from './StateBar';

const PAGE_SIZE = 20;
const STATES = ['scheduled', 'paused'] as const;

interface Filters {
  readonly cursor?: string;
  readonly state?: (typeof STATES)[number];
  /** Sends to a single number too. */
  readonly all?: boolean;
}

export default function CampaignsPage() {
  const { t } = useTranslation();
  const { timeZone } = useTimeFormat();
  const navigate = useNavigate();
  const search: Filters = useSearch({ strict: false });
  const { cursor, state, all = false } = search;
  const batches = useQuery({
    ...listBatchesOptions({
      query: {
        limit: PAGE_SIZE,
        ...(cursor && { cursor }),
        ...(state && { state }),
        ...(!all && { minRecipients: 2 }),
      },
    }),
    placeholderData: keepPreviousData,
  });
  const show = (filters: Filters) => void navigate({ to: '/campaigns', search: { ...filters } });
  return (
    <>
      <PageHeader
        title={t('campaigns.title')}
        description={t('campaigns.description', { zone: timeZone })}
        actions={<NewButton />}
      />
      <Group mb="md" gap="sm">
        <SegmentedControl
          aria-label={t('campaigns.which')}
          value={all ? 'all' : 'several'}
          onChange={(value) => show({ state, all: value === 'all' || undefined })}
          data={[
            { value: 'several', label: t('campaigns.several') },
            { value: 'all', label: t('campaigns.all') },
          ]}
        />
        <Select
          aria-label={t('campaigns.state')}
          placeholder={t('campaigns.anyState')}
          clearable
          w={190}
          value={state ?? null}
          onChange={(value) => show({ all: all || undefined, state: STATES.find((each) => each === value) })}
          data={STATES.map((value) => ({ value, label: t(`campaigns.phase.${value}`) }))}
        />
      </Group>
      <QueryState query={batches} lines={6}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <Nothing isFiltered={state !== undefined || cursor !== undefined} />
          ) : (
            <Stack gap="sm">
              <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
                {data.map((batch) => (
                  <CampaignRow key={batch._id} batch={batch} />
                ))}
              </Stack>
              {(cursor !== undefined || meta.nextCursor !== null) && (
                <Group justify="space-between">
                  <Button
                    variant="default"
                    disabled={cursor === undefined}
                    onClick={() => show({ ...search, cursor: undefined })}
                  >
                    {t('campaigns.newest')}
                  </Button>
                  <Button
                    variant="default"
                    disabled={meta.nextCursor === null}
                    onClick={() => show({ ...search, cursor: meta.nextCursor ?? undefined })}
                  >
                    {t('campaigns.older')}
                  </Button>
                </Group>
              )}
            </Stack>
          )
        }
      </QueryState>
    </>
  );
}

function NewButton() {
  const { t } = useTranslation();
  return (
    <Button
      renderRoot={(props) => <Link to="/campaigns/new" {...props} />}
      leftSection={<IconPlus size={16} />}
    >
      {t('campaigns.new')}
    </Button>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  const { t } = useTranslation();
  if (isFiltered) return <Text c="dimmed">{t('campaigns.nothingFound')}</Text>;
  return (
    <EmptyState
      icon={<IconSpeakerphone size={28} />}
      title={t('campaigns.emptyTitle')}
      text={t('campaigns.emptyText')}
      action={<NewButton />}
    />
  );
}

function CampaignRow({ batch }: { readonly batch: ListedBatchResponse }) {
  const { t, i18n } = useTranslation();
  const progress = useQuery(progressOptions(batch._id));
  const phase = progress.data && phaseOf(progress.data);
  return (
    <Card component="li">
      <Grid align="center" gap="sm">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Group gap="xs" wrap="nowrap" align="flex-start">
            <Anchor
              renderRoot={(props) => <Link to="/campaigns/$id" params={{ id: batch._id }} {...props} />}
              fw={600}
              lineClamp={2}
              className="outside-text"
            >
              {titleOf(batch, t)}
            </Anchor>
          </Group>
          <Group gap={6} mt={2}>
            <Text size="sm" c="dimmed">
              {t('campaigns.recipients', {
                count: batch.recipientCount,
                number: new Intl.NumberFormat(i18n.language).format(batch.recipientCount),
              })}
              {' · '}
              <Time value={batch.scheduledAt ?? batch.createdAt} />
            </Text>
          </Group>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          {progress.data && <StateBar counts={countsOf(progress.data)} />}
          {progress.isError && (
            <Alert color="red" p="xs">
              {t('campaigns.noProgress')}
            </Alert>
          )}
          {progress.isPending && <Skeleton height={28} />}
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 3 }}>
          <Group gap="xs" justify="flex-end" wrap="nowrap">
            {phase && (
              <Badge
                variant="light"
                color={PHASE_COLORS[phase]}
                tt="none"
                mr="auto"
                style={{ flexShrink: 0 }}
              >
                {t(`campaigns.phase.${phase}`)}
              </Badge>
            )}
            {progress.data && <CampaignActions batch={progress.data} isCompact />}
          </Group>
        </Grid.Col>
      </Grid>
    </Card>
  );
}
