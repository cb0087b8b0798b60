import { Anchor, Badge, Button, Card, Grid, Group, List, Stack, Table, Text, Title } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { getPoolOptions } from '../../../generated/@tanstack/react-query.gen';
import { CopyButton } from '../../components/CopyButton';
import { PageHeader } from '../../components/PageHeader';
import { phoneName, tightestQuota } from '../../components/phones/phone';
import { QueryState } from '../../components/QueryState';
import { useSearchParam } from '../../components/search-param';
import { useIsNarrow } from '../../components/use-is-narrow';
import { QuotaBar } from '../phones/sims/QuotaBars';
import { membersOf, type Member, type Pool } from './pool';
import { PoolActions } from './PoolActions';
import { PoolEditor } from './PoolEditor';
import { PoolSimulation } from './PoolSimulation';
import { useSenders } from './use-senders';

export default function PoolPage() {
  const { id = '' } = useParams({ strict: false });
  const pool = useQuery(getPoolOptions({ path: { id } }));
  return (
    <QueryState query={pool} lines={8}>
      {({ data }) => <PoolView key={id} pool={data} />}
    </QueryState>
  );
}

function PoolView({ pool }: { readonly pool: Pool }) {
  const { t } = useTranslation();
  const [isEditing, setEditing] = useSearchParam('edit');
  const { senders } = useSenders();
  const members = membersOf(pool, senders);
  return (
    <>
      <PageHeader
        title={pool.name}
        description={
          pool.isDefault && (
            <Group gap="xs">
              <Badge variant="outline" color="gray" tt="none" fw={500}>
                {t('pools.default')}
              </Badge>
              {t('pools.defaultHint')}
            </Group>
          )
        }
        actions={
          <>
            <Button
              variant="default"
              leftSection={<IconPencil size={18} aria-hidden />}
              onClick={() => setEditing(true)}
            >
              {t('pools.edit')}
            </Button>
            <PoolActions pool={pool} />
          </>
        }
      />
      <Grid>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Members members={members} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack>
            <PoolSimulation pool={pool} members={members} />
            <Rules pool={pool} />
          </Stack>
        </Grid.Col>
      </Grid>
      {isEditing && <PoolEditor pool={pool} onClose={() => setEditing(undefined)} />}
    </>
  );
}

const STATE_COLORS = {
  ok: 'teal',
  trial: 'yellow',
  disabled: 'gray',
  draining: 'gray',
  limits: 'blue',
  unreachable: 'red',
  unhealthy: 'red',
} as const;

function Members({ members }: { readonly members: readonly Member[] }) {
  const { t, i18n } = useTranslation();
  const { titleOf } = useSenders();
  const isNarrow = useIsNarrow();
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Card component="section" aria-label={t('pools.members')}>
      <Title order={2} mb="sm">
        {t('pools.members')}
      </Title>
      <Table.ScrollContainer minWidth={isNarrow ? 0 : 560}>
        <Table aria-label={t('pools.members')} verticalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('pools.columns.sim')}</Table.Th>
              <Table.Th scope="col" visibleFrom="sm">
                {t('pools.columns.state')}
              </Table.Th>
              <Table.Th scope="col" ta="right">
                {t('pools.columns.waiting')}
              </Table.Th>
              <Table.Th scope="col" w="40%" visibleFrom="sm">
                {t('pools.columns.left')}
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {members.map(({ sim, device, state, waiting }) => {
              const title = titleOf(sim);
              const quota = tightestQuota(sim);
              const badge = (
                <Badge variant="light" color={STATE_COLORS[state]} tt="none" miw="max-content">
                  {t(`pools.memberState.${state}`)}
                </Badge>
              );
              const left = quota ? (
                <QuotaBar quota={quota} title={title} />
              ) : (
                <Text size="sm" c="dimmed">
                  {t('pools.unlimited')}
                </Text>
              );
              return (
                <Table.Tr key={sim._id}>
                  <Table.Td>
                    <Text size="sm" fw={600} className="outside-text" lineClamp={2}>
                      {title}
                    </Text>
                    {device ? (
                      <Anchor
                        size="sm"
                        className="outside-text"
                        lineClamp={2}
                        renderRoot={(root) => (
                          <Link
                            to="/phones/$id"
                            params={{ id: device._id }}
                            search={{ sim: sim._id }}
                            {...root}
                          />
                        )}
                      >
                        {phoneName(device)}
                      </Anchor>
                    ) : (
                      <Text size="sm" c="dimmed">
                        {t('pools.noPhone')}
                      </Text>
                    )}
                    {isNarrow && (
                      <Stack gap={4} mt={4}>
                        {badge}
                        {left}
                      </Stack>
                    )}
                  </Table.Td>
                  <Table.Td visibleFrom="sm">{!isNarrow && badge}</Table.Td>
                  <Table.Td ta="right" className="numeric">
                    {number.format(waiting)}
                  </Table.Td>
                  <Table.Td visibleFrom="sm">{!isNarrow && left}</Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function Rules({ pool }: { readonly pool: Pool }) {
  const { t } = useTranslation();
  const { senders, titleOf } = useSenders();
  const rules = Object.entries(pool.countries ?? {});
  const nameOf = (id: string) => {
    const sim = senders.sims.find(({ _id }) => _id === id);
    return sim ? titleOf(sim) : id;
  };
  return (
    <Card component="section" aria-label={t('pools.strategyTitle')}>
      <Title order={2} mb="xs">
        {t('pools.strategyTitle')}
      </Title>
      <Text size="sm" fw={600}>
        {t(`pools.strategy.${pool.strategy}`)}
      </Text>
      <Text size="sm" c="dimmed" mb="md">
        {t(`pools.strategyText.${pool.strategy}`)}
      </Text>
      <Title order={3} mb={4}>
        {t('pools.countries')}
      </Title>
      {rules.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('pools.noRules')}
        </Text>
      ) : (
        <>
          <List size="sm" listStyleType="none" spacing={4}>
            {rules.map(([prefix, sims]) => (
              <List.Item key={prefix} className="outside-text">
                <Text component="span" inherit fw={600} className="numeric">
                  {prefix}
                </Text>
                {': '}
                {sims.length > 0 ? sims.map(nameOf).join(', ') : t('pools.nobody')}
              </List.Item>
            ))}
          </List>
          <Text size="xs" c="dimmed" mt="xs">
            {t('pools.rulesHint')}
          </Text>
        </>
      )}
      <Group gap={4} mt="md" wrap="nowrap" c="dimmed">
        <Text size="xs" className="numeric">
          {t('pools.id')} {pool._id}
        </Text>
        <CopyButton value={pool._id} label={t('pools.copyId')} />
      </Group>
    </Card>
  );
}
