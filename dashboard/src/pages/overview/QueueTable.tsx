import { Anchor, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { simTitle } from '../../api/sim-name';
import { type Device, phoneName, type Queue, type Sim } from '../../components/phones/phone';
import { Time } from '../../components/Time';
import { HeldBack } from './HeldBack';

type Entry = Queue['sims'][number];

interface Owners {
  readonly devices: readonly Device[];
  readonly sims: readonly Sim[];
}

/** What waits for each SIM. */
export default function QueueTable({ entries, ...owners }: Owners & { readonly entries: readonly Entry[] }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Table.ScrollContainer minWidth={280} type="native">
      <Table aria-label={t('overview.queue.title')} verticalSpacing={6} horizontalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{t('queue.sim')}</Table.Th>
            <Table.Th scope="col" ta="right">
              {t('queue.messages')}
            </Table.Th>
            <Table.Th scope="col" ta="right" visibleFrom="sm">
              {t('queue.endsAt')}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Table.Tr key={`${entry.device} ${entry.sim ?? ''}`}>
              <Table.Td>
                <Lane entry={entry} {...owners} />
              </Table.Td>
              <Table.Td ta="right" className="numeric">
                {number.format(entry.messages)}
              </Table.Td>
              <Table.Td ta="right" visibleFrom="sm">
                {entry.endsAt ? <Time value={entry.endsAt} /> : t('queue.unknownEnd')}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Lane({ entry, devices, sims }: Owners & { readonly entry: Entry }) {
  const { t } = useTranslation();
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
          {simTitle(t, sim, device, sims)}
        </Text>
      )}
      {entry.endsAt && (
        <Text size="xs" c="dimmed" component="div" hiddenFrom="sm">
          {t('queue.endsAt')} <Time value={entry.endsAt} />
        </Text>
      )}
      <HeldBack entries={entry.heldBack} />
    </>
  );
}
