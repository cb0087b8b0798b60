import { Card, Code, Group, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listOperatorActionsOptions } from '../../../generated/@tanstack/react-query.gen';
import { CopyButton } from '../../components/CopyButton';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';

/** What operators did last. */
export function ActionsSection({ self }: { readonly self: string }) {
  const { t } = useTranslation();
  const actions = useQuery(listOperatorActionsOptions());
  return (
    <section aria-label={t('operations.lastActions')}>
      <Title order={2} mb="sm">
        {t('operations.lastActions')}
      </Title>
      <QueryState query={actions} lines={3}>
        {({ data }) => (
          <Card padding={0}>
            {data.length === 0 ? (
              <Text p="md" c="dimmed">
                {t('operations.noActions')}
              </Text>
            ) : (
              <Table.ScrollContainer
                minWidth={640}
                type="native"
                tabIndex={0}
                role="group"
                aria-label={t('operations.lastActions')}
              >
                <Table aria-label={t('operations.lastActions')} verticalSpacing={6}>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th scope="col">{t('operations.when')}</Table.Th>
                      <Table.Th scope="col">{t('operations.what')}</Table.Th>
                      <Table.Th scope="col">{t('operations.column.account')}</Table.Th>
                      <Table.Th scope="col">{t('operations.by')}</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {data.map(({ _id, at, action, plan, account, operator }) => (
                      <Table.Tr key={_id}>
                        <Table.Td>
                          <Time value={at} />
                        </Table.Td>
                        <Table.Td>{t(`operations.did.${action}`, { plan })}</Table.Td>
                        <Table.Td>
                          <Id value={account} />
                        </Table.Td>
                        <Table.Td>
                          {operator === self ? t('operations.you') : <Id value={operator} />}
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
            )}
          </Card>
        )}
      </QueryState>
    </section>
  );
}

function Id({ value }: { readonly value: string }) {
  const { t } = useTranslation();
  return (
    <Group gap={4} wrap="nowrap">
      <Code>{value}</Code>
      <CopyButton value={value} label={t('operations.copyId', { id: value })} />
    </Group>
  );
}
