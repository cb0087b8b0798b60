import { Card, Table, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { simTitle } from '../../api/sim-name';
import type { Device, Queue, Sim } from '../../components/phones/phone';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { useIsNarrow } from '../../components/use-is-narrow';

/** What waits on the server for a phone, by SIM. */
export function QueuePanel(props: {
  readonly device: Device;
  readonly sims: readonly Sim[];
  readonly queue: UseQueryResult<{ readonly data: Queue }, unknown>;
  readonly entries: Queue['sims'];
}) {
  const { t, i18n } = useTranslation();
  const { device, sims, entries } = props;
  const isNarrow = useIsNarrow();
  const number = new Intl.NumberFormat(i18n.language);
  const nameOf = (id: string | undefined) => {
    const sim = sims.find(({ _id }) => _id === id);
    return sim ? simTitle(t, sim, device, sims) : t('queue.phoneChooses');
  };
  return (
    <Card component="section" aria-label={t('queue.title')}>
      <Title order={2} mb="sm">
        {t('queue.title')}
      </Title>
      <QueryState query={props.queue} lines={2}>
        {() =>
          entries.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('queue.nothing')}
            </Text>
          ) : (
            <Table.ScrollContainer minWidth={isNarrow ? 0 : 420}>
              <Table aria-label={t('queue.title')} verticalSpacing="xs">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th scope="col">{t('queue.sim')}</Table.Th>
                    <Table.Th scope="col" ta="right">
                      {t('queue.messages')}
                    </Table.Th>
                    <Table.Th scope="col" ta="right" visibleFrom="sm">
                      {t('queue.parts')}
                    </Table.Th>
                    <Table.Th scope="col" visibleFrom="sm">
                      {t('queue.endsAt')}
                    </Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {entries.map((entry) => (
                    <Table.Tr key={entry.sim ?? ''}>
                      <Table.Td>
                        <Text size="sm" className="outside-text" lineClamp={2}>
                          {nameOf(entry.sim)}
                        </Text>
                        <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
                          {t('queue.parts')}: {number.format(entry.parts)}
                          {entry.endsAt && (
                            <>
                              {' · '}
                              {t('queue.endsAt')} <Time value={entry.endsAt} />
                            </>
                          )}
                        </Text>
                        {entry.heldBack.map(({ reason, count, until }) => (
                          <Text key={reason} size="xs" c="dimmed">
                            {t('queue.heldBack', {
                              count,
                              reason: t(`waits.${reason}`),
                            })}
                            {until && (
                              <>
                                {' · '}
                                <Time value={until} />
                              </>
                            )}
                          </Text>
                        ))}
                      </Table.Td>
                      <Table.Td ta="right" className="numeric">
                        {number.format(entry.messages)}
                      </Table.Td>
                      <Table.Td ta="right" className="numeric" visibleFrom="sm">
                        {number.format(entry.parts)}
                      </Table.Td>
                      <Table.Td visibleFrom="sm">
                        {entry.endsAt ? <Time value={entry.endsAt} /> : t('queue.unknownEnd')}
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
          )
        }
      </QueryState>
    </Card>
  );
}
