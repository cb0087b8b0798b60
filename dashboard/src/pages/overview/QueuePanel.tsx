import { Anchor, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { getQueueOptions } from '../../../generated/@tanstack/react-query.gen';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { type Device, phoneName, type Queue, type Sim } from '../phones/phone';
import { simTitle } from '../phones/sims/sim-title';
import { Panel } from './Panel';

/** The SIMs with the most messages. */
const SHOWN = 8;

/** What waits on the server, when it ends, and what is held back. */
export function QueuePanel(props: { readonly devices: readonly Device[]; readonly sims: readonly Sim[] }) {
  const { t, i18n } = useTranslation();
  const queue = useQuery(getQueueOptions());
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Panel title={t('overview.queue.title')} more={{ to: '/phones', label: t('overview.queue.more') }}>
      <QueryState query={queue} lines={3}>
        {({ data }) =>
          data.messages === 0 ? (
            <Text size="sm" c="dimmed">
              {t('overview.queue.nothing')}
            </Text>
          ) : (
            <Stack gap="xs">
              <Group gap="md" style={{ rowGap: 2 }}>
                <Text size="sm" fw={600} className="numeric">
                  {t(data.isLowerBound ? 'overview.queue.atLeast' : 'overview.queue.waiting', {
                    count: data.messages,
                  })}
                </Text>
                {data.endsAt && (
                  <Text size="sm" c="dimmed" component="div">
                    {t('overview.queue.endsAt')} <Time value={data.endsAt} />
                  </Text>
                )}
              </Group>
              <Table.ScrollContainer minWidth={280} type="native">
                <Table aria-label={t('overview.queue.title')} verticalSpacing={6} horizontalSpacing="xs">
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th scope="col">{t('phones.queue.sim')}</Table.Th>
                      <Table.Th scope="col" ta="right">
                        {t('phones.queue.messages')}
                      </Table.Th>
                      <Table.Th scope="col" ta="right">
                        {t('phones.queue.endsAt')}
                      </Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {data.sims.slice(0, SHOWN).map((entry) => (
                      <Table.Tr key={`${entry.device} ${entry.sim ?? ''}`}>
                        <Table.Td>
                          <Lane entry={entry} {...props} />
                        </Table.Td>
                        <Table.Td ta="right" className="numeric">
                          {number.format(entry.messages)}
                        </Table.Td>
                        <Table.Td ta="right">
                          {entry.endsAt ? <Time value={entry.endsAt} /> : t('phones.queue.unknownEnd')}
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
              {data.sims.length > SHOWN && (
                <Text size="sm" c="dimmed">
                  {t('overview.queue.others', { count: data.sims.length - SHOWN })}
                </Text>
              )}
            </Stack>
          )
        }
      </QueryState>
    </Panel>
  );
}

function Lane(props: {
  readonly entry: Queue['sims'][number];
  readonly devices: readonly Device[];
  readonly sims: readonly Sim[];
}) {
  const { t } = useTranslation();
  const { entry, devices, sims } = props;
  const device = devices.find(({ _id }) => _id === entry.device);
  const sim = sims.find(({ _id }) => _id === entry.sim);
  return (
    <>
      <Anchor
        renderRoot={(root) => <Link to="/phones/$id" params={{ id: entry.device }} {...root} />}
        size="sm"
        lineClamp={1}
        className="outside-text"
      >
        {device ? phoneName(device) : entry.device}
      </Anchor>
      {sim && (
        <Text size="xs" c="dimmed" lineClamp={1} className="outside-text">
          {simTitle(t, sim, device)}
        </Text>
      )}
      <HeldBack entries={entry.heldBack} />
    </>
  );
}

/** Why messages wait. */
export function HeldBack({ entries }: { readonly entries: Queue['sims'][number]['heldBack'] }) {
  const { t } = useTranslation();
  return entries.map(({ reason, count, until }) => (
    <Text key={reason} size="xs" c="dimmed" component="div">
      {t('phones.queue.heldBack', { count, reason: t(`phones.queue.reason.${reason}`) })}
      {until && (
        <>
          {' · '}
          <Time value={until} />
        </>
      )}
    </Text>
  ));
}
