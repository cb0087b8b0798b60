import { Card, Table, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import type { Device, Queue, Sim } from './phone';
import { simTitle } from './sims/sim-title';

/** What waits on the server for a phone, by SIM. */
export function QueuePanel(props: {
  readonly device: Device;
  readonly sims: readonly Sim[];
  readonly queue: UseQueryResult<{ readonly data: Queue }, unknown>;
  readonly entries: Queue['sims'];
}) {
  const { t, i18n } = useTranslation();
  const { device, sims, entries } = props;
  const number = new Intl.NumberFormat(i18n.language);
  const nameOf = (id: string | undefined) => {
    const sim = sims.find(({ _id }) => _id === id);
    return sim ? simTitle(t, sim, device) : t('phones.queue.phoneChooses');
  };
  return (
    <Card component="section" aria-label={t('phones.queue.title')}>
      <Title order={2} mb="sm">
        {t('phones.queue.title')}
      </Title>
      <QueryState query={props.queue} lines={2}>
        {() =>
          entries.length === 0 ? (
            <Text size="sm" c="dimmed">
              {t('phones.queue.nothing')}
            </Text>
          ) : (
            <Table.ScrollContainer minWidth={420}>
              <Table aria-label={t('phones.queue.title')} verticalSpacing="xs">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th scope="col">{t('phones.queue.sim')}</Table.Th>
                    <Table.Th scope="col" ta="right">
                      {t('phones.queue.messages')}
                    </Table.Th>
                    <Table.Th scope="col" ta="right">
                      {t('phones.queue.parts')}
                    </Table.Th>
                    <Table.Th scope="col">{t('phones.queue.endsAt')}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {entries.map((entry) => (
                    <Table.Tr key={entry.sim ?? ''}>
                      <Table.Td>
                        <Text size="sm" className="outside-text" lineClamp={2}>
                          {nameOf(entry.sim)}
                        </Text>
                        {entry.heldBack.map(({ reason, count, until }) => (
                          <Text key={reason} size="xs" c="dimmed">
                            {t('phones.queue.heldBack', {
                              count,
                              reason: t(`phones.queue.reason.${reason}`),
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
                      <Table.Td ta="right" className="numeric">
                        {number.format(entry.parts)}
                      </Table.Td>
                      <Table.Td>
                        {entry.endsAt ? <Time value={entry.endsAt} /> : t('phones.queue.unknownEnd')}
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
