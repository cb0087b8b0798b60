import { Alert, Card, Code, Group, SimpleGrid, Stack, Table, Text, ThemeIcon, Title } from '@mantine/core';
import { IconAlertOctagon, IconCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { InstallationOverviewResponse as Installation } from '../../../generated';
import { getOverviewOptions } from '../../../generated/@tanstack/react-query.gen';
import { QueryState } from '../../components/QueryState';
import { useDuration } from './duration';
import { ProcessesCard, ProcessProblems } from './ProcessesCard';

const COMPONENTS = ['database', 'redis', 'queues', 'push'] as const;

/** The state of the installation. */
export function InstallationSection() {
  const { t } = useTranslation();
  const overview = useQuery({ ...getOverviewOptions(), refetchInterval: 10_000 });
  return (
    <section aria-label={t('operations.state')}>
      <Title order={2} mb="sm">
        {t('operations.state')}
      </Title>
      <QueryState query={overview} lines={6}>
        {({ data }) => (
          <Stack>
            <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }}>
              {COMPONENTS.map((name) => (
                <Component key={name} name={t(`operations.component.${name}`)} {...data.components[name]} />
              ))}
            </SimpleGrid>
            <ProcessProblems processes={data.processes} />
            <Migrations pending={data.pendingMigrations} />
            <ProcessesCard processes={data.processes} />
            <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
              <ServiceCard data={data} />
              <StatsCard stats={data.stats} />
              <QueuesCard queues={data.queues} />
            </SimpleGrid>
          </Stack>
        )}
      </QueryState>
    </section>
  );
}

function Component({ name, isUp, message }: { name: string; isUp: boolean; message: string }) {
  const { t } = useTranslation();
  return (
    <Card py="sm">
      <Group wrap="nowrap" gap="sm">
        <ThemeIcon variant="light" color={isUp ? 'teal' : 'red'} radius="xl" aria-hidden>
          {isUp ? <IconCheck size={18} /> : <IconAlertOctagon size={18} />}
        </ThemeIcon>
        <div style={{ minWidth: 0 }}>
          <Text fw={600} size="sm">
            {name}
          </Text>
          <Text size="xs" c="dimmed" className="outside-text" lineClamp={3}>
            {isUp && message === 'ok' ? t('operations.works') : message}
          </Text>
        </div>
      </Group>
    </Card>
  );
}

function Migrations({ pending }: { readonly pending: readonly string[] | undefined }) {
  const { t } = useTranslation();
  if (!pending || pending.length === 0) return null;
  return (
    <Alert color="yellow" title={t('operations.pendingMigrations', { count: pending.length })}>
      <Group gap="xs">
        {pending.map((name) => (
          <Code key={name}>{name}</Code>
        ))}
      </Group>
    </Alert>
  );
}

function ServiceCard({ data }: { readonly data: Installation }) {
  const { t } = useTranslation();
  const { version, apiVersion, fcmConfigured, pendingMigrations } = data;
  return (
    <Facts
      title={t('operations.service')}
      rows={[
        [t('operations.version'), version],
        [t('operations.apiVersion'), apiVersion],
        [t('operations.fcm'), fcmConfigured ? t('operations.fcmSetUp') : t('operations.fcmNotSetUp')],
        [
          t('operations.migrations'),
          pendingMigrations === undefined
            ? t('common.unknown')
            : pendingMigrations.length === 0
              ? t('operations.migrationsDone')
              : t('operations.pendingMigrations', { count: pendingMigrations.length }),
        ],
      ]}
    />
  );
}

function StatsCard({ stats }: { readonly stats: Installation['stats'] }) {
  const { t, i18n } = useTranslation();
  const duration = useDuration();
  const number = new Intl.NumberFormat(i18n.language);
  if (!stats) return <Facts title={t('operations.stats')} rows={[]} empty={t('operations.noStats')} />;
  const overdue = (ms: number) => (ms > 0 ? duration(ms) : t('operations.notOverdue'));
  const { devices, connections } = stats;
  return (
    <Facts
      title={t('operations.stats')}
      rows={[
        [t('operations.pendingMessages'), number.format(stats.pendingMessages)],
        [t('operations.dispatchedMessages'), number.format(stats.dispatchedMessages)],
        [t('operations.dispatchOverdue'), overdue(stats.dispatchOverdueMs)],
        [t('operations.relayOverdue'), overdue(stats.relayOverdueMs)],
        [t('operations.setAside'), number.format(stats.setAsideEvents)],
        [t('operations.connections'), t('operations.connectionCounts', { ...connections })],
        [t('operations.contacts'), t('operations.contactCounts', { ...devices })],
      ]}
    />
  );
}

function Facts(props: {
  readonly title: string;
  readonly rows: readonly (readonly [name: string, value: ReactNode])[];
  readonly empty?: string;
}) {
  return (
    <Card component="section" aria-label={props.title}>
      <Title order={3} mb="xs">
        {props.title}
      </Title>
      {props.empty && <Text size="sm">{props.empty}</Text>}
      <Stack component="dl" gap={6} m={0}>
        {props.rows.map(([name, value]) => (
          <Group key={name} justify="space-between" gap="sm" wrap="nowrap" align="flex-start">
            <Text size="sm" c="dimmed" component="dt">
              {name}
            </Text>
            <Text size="sm" component="dd" m={0} ta="right" className="numeric">
              {value}
            </Text>
          </Group>
        ))}
      </Stack>
    </Card>
  );
}

function QueuesCard({ queues }: { readonly queues: Installation['queues'] }) {
  const { t, i18n } = useTranslation();
  const duration = useDuration();
  const number = new Intl.NumberFormat(i18n.language);
  const columns = ['waiting', 'active', 'delayed'] as const;
  return (
    <Card component="section" aria-label={t('operations.queues')}>
      <Title order={3} mb="xs">
        {t('operations.queues')}
      </Title>
      {!queues ? (
        <Text size="sm">{t('operations.noQueues')}</Text>
      ) : (
        <Table.ScrollContainer
          minWidth={320}
          type="native"
          tabIndex={0}
          aria-label={t('operations.queues')}
          role="group"
        >
          <Table aria-label={t('operations.queues')} verticalSpacing={6} horizontalSpacing={6} fz="xs">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">{t('operations.queue.name')}</Table.Th>
                {columns.map((column) => (
                  <Table.Th key={column} scope="col" ta="right">
                    {t(`operations.queue.${column}`)}
                  </Table.Th>
                ))}
                <Table.Th scope="col" ta="right">
                  {t('operations.queue.oldest')}
                </Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {queues.map((queue) => (
                <Table.Tr key={queue.name}>
                  <Table.Th scope="row" fw={500}>
                    {queue.name}
                  </Table.Th>
                  {columns.map((column) => (
                    <Table.Td key={column} ta="right" className="numeric">
                      {number.format(queue[column])}
                    </Table.Td>
                  ))}
                  <Table.Td ta="right" className="numeric">
                    {queue.oldestMs > 0 ? duration(queue.oldestMs) : '–'}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </Card>
  );
}
