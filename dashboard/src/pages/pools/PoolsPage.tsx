import { Anchor, Badge, Button, Card, Group, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconBuildingBroadcastTower, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listPoolsOptions } from '../../../generated/@tanstack/react-query.gen';
import { EmptyState } from '../../components/EmptyState';
import { PageHeader } from '../../components/PageHeader';
import { QueryState } from '../../components/QueryState';
import { useSearchParam } from '../../components/search-param';
import { canSend, membersOf, type Pool, poolState } from './pool';
import { PoolActions } from './PoolActions';
import { PoolEditor } from './PoolEditor';
import { useSenders } from './use-senders';

export default function PoolsPage() {
  const { t } = useTranslation();
  const [isCreating, setCreating] = useSearchParam('new');
  const pools = useQuery(listPoolsOptions());
  const { senders, isLoaded } = useSenders();
  const hasNoSims = isLoaded && senders.sims.length === 0;
  const create = hasNoSims ? (
    <Button renderRoot={(root) => <Link to="/phones" {...root} />}>{t('pools.toPhones')}</Button>
  ) : (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setCreating(true)}>
      {t('pools.create')}
    </Button>
  );
  const isEmpty = pools.data?.data.length === 0;
  return (
    <>
      <PageHeader
        title={t('pools.title')}
        description={t('pools.description')}
        actions={!isEmpty && pools.isSuccess && create}
      />
      <QueryState query={pools}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState
              icon={<IconBuildingBroadcastTower aria-hidden />}
              title={t('pools.emptyTitle')}
              text={hasNoSims ? `${t('pools.emptyText')} ${t('pools.noSims')}` : t('pools.emptyText')}
              action={create}
            />
          ) : (
            <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
              {data.map((pool) => (
                <PoolCard key={pool._id} pool={pool} />
              ))}
            </SimpleGrid>
          )
        }
      </QueryState>
      {isCreating && <PoolEditor onClose={() => setCreating(undefined)} />}
    </>
  );
}

const STATE_COLORS = { ok: 'teal', reduced: 'yellow', asSet: 'blue', down: 'red' } as const;

function PoolCard({ pool }: { readonly pool: Pool }) {
  const { t } = useTranslation();
  const { senders, isLoaded } = useSenders();
  const members = membersOf(pool, senders);
  const usable = members.filter(canSend).length;
  const waiting = members.reduce((sum, member) => sum + member.waiting, 0);
  const capacity = t('pools.usable', { usable, count: members.length });
  return (
    <Card>
      <Stack gap="sm" style={{ flexGrow: 1 }}>
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
          <Title order={2} lineClamp={2} className="outside-text">
            <Anchor
              inherit
              c="inherit"
              renderRoot={(root) => <Link to="/pools/$id" params={{ id: pool._id }} {...root} />}
            >
              {pool.name}
            </Anchor>
          </Title>
          <PoolActions pool={pool} />
        </Group>
        <Group gap={6}>
          <Badge variant="light" color="gray" tt="none">
            {t(`pools.strategy.${pool.strategy}`)}
          </Badge>
          {pool.isDefault && (
            <Badge variant="outline" color="gray" tt="none" fw={500}>
              {t('pools.default')}
            </Badge>
          )}
        </Group>
        {isLoaded && (
          <Stack gap={4}>
            <Text size="sm" fw={500} className="numeric">
              {capacity}
            </Text>
            <Progress.Root size="sm">
              <Progress.Section
                value={members.length > 0 ? (usable / members.length) * 100 : 0}
                color={STATE_COLORS[poolState(members)]}
                aria-label={`${pool.name}: ${capacity}`}
              />
            </Progress.Root>
          </Stack>
        )}
        <Text size="sm" c="dimmed" mt="auto" className="numeric">
          {waiting > 0 ? t('pools.waiting', { count: waiting }) : t('pools.nothingWaits')}
        </Text>
      </Stack>
    </Card>
  );
}
