import { Alert, Card, Stack, Table, Text, Title } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RunningProcessResponse as RunningProcess } from '../../../generated';
import { Time } from '../../components/Time';
import { missingRoles, versionsOf } from './processes';

/** The API leaves the processes out while Redis does not answer. */
interface Props {
  readonly processes: readonly RunningProcess[] | undefined;
}

/** What is wrong with the processes, and what to do. */
export function ProcessProblems({ processes }: Props) {
  const { t, i18n } = useTranslation();
  if (!processes) return null;
  const versions = versionsOf(processes);
  return (
    <>
      {missingRoles(processes).map((role) => (
        <Alert key={role} color="red" title={t('operations.missingRole', { role })}>
          {t(`operations.withoutRole.${role}`)} {t('operations.startRole', { role })}
        </Alert>
      ))}
      {versions.length > 1 && (
        <Alert
          color="yellow"
          title={t('operations.severalVersions', {
            versions: new Intl.ListFormat(i18n.language).format(versions),
          })}
        >
          {t('operations.finishUpgrade')}
        </Alert>
      )}
    </>
  );
}

/** The processes of the installation, those that started first. */
export function ProcessesCard({ processes }: Props) {
  const { t } = useTranslation();
  return (
    <Card component="section" aria-label={t('operations.processes')}>
      <Title order={3} mb="xs">
        {t('operations.processes')}
      </Title>
      {processes ? (
        <Stack gap="xs">
          <ProcessTable processes={processes} />
          <Text size="xs" c="dimmed">
            {t('operations.processesHint')}
          </Text>
        </Stack>
      ) : (
        <Text size="sm">{t('operations.noQueues')}</Text>
      )}
    </Card>
  );
}

function ProcessTable({ processes }: { readonly processes: readonly RunningProcess[] }) {
  const { t, i18n } = useTranslation();
  const list = new Intl.ListFormat(i18n.language, { type: 'unit', style: 'short' });
  return (
    <Table.ScrollContainer
      minWidth={520}
      type="native"
      tabIndex={0}
      aria-label={t('operations.processes')}
      role="group"
    >
      <Table aria-label={t('operations.processes')} verticalSpacing={6} horizontalSpacing={6} fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('operations.host')}</Table.Th>
            <Table.Th scope="col">{t('operations.roles')}</Table.Th>
            <Table.Th scope="col">{t('operations.version')}</Table.Th>
            <Table.Th scope="col">{t('operations.node')}</Table.Th>
            <Table.Th scope="col" ta="right">
              {t('operations.runningSince')}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {processes.map(({ id, host, roles, version, nodeVersion, startedAt }) => (
            <Table.Tr key={id}>
              <Table.Th scope="row" fw={500} className="outside-text">
                {host}
              </Table.Th>
              <Table.Td>{list.format(roles)}</Table.Td>
              <Table.Td className="numeric">{version}</Table.Td>
              <Table.Td className="numeric">{nodeVersion}</Table.Td>
              <Table.Td ta="right" className="numeric">
                <Time value={startedAt} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
