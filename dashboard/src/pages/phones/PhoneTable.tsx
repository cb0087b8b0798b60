import { Anchor, Card, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { simTitle } from '../../api/sim-name';
import { phoneProblemText } from '../../components/phone-problem-text';
import {
  countMessages,
  type Device,
  phoneModel,
  phoneName,
  type Queue,
  queueOf,
  type Sim,
  simsIn,
  simState,
} from '../../components/phones/phone';
import { PhoneActions } from './actions/PhoneActions';
import { HealthBadge, PhoneMarks } from './badges';
import { Ago } from './facts/Ago';
import { useBattery } from './facts/PhoneFacts';
import { SimStateBadge } from './sims/SimStateBadge';

interface Context {
  readonly sims: readonly Sim[];
  readonly queue: Queue | undefined;
}

/** Many phones, one per line: those that need attention stand out by their state and its reason. */
export function PhoneTable({ devices, ...context }: Context & { readonly devices: readonly Device[] }) {
  const { t } = useTranslation();
  return (
    <Card p={0}>
      <Table.ScrollContainer minWidth={860}>
        <Table aria-label={t('phones.title')} verticalSpacing="sm" highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{t('phones.phone')}</Table.Th>
              <Table.Th scope="col">{t('phones.columns.state')}</Table.Th>
              <Table.Th scope="col">{t('phones.sims.title')}</Table.Th>
              <Table.Th scope="col">{t('phones.battery')}</Table.Th>
              <Table.Th scope="col">{t('phones.lastContact')}</Table.Th>
              <Table.Th scope="col" ta="end">
                {t('phones.columns.waiting')}
              </Table.Th>
              <Table.Th scope="col">
                <VisuallyHidden>{t('phones.columns.actions')}</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {devices.map((device) => (
              <PhoneRow key={device._id} device={device} {...context} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function PhoneRow({ device, sims, queue }: Context & { readonly device: Device }) {
  const { t, i18n } = useTranslation();
  const battery = useBattery(device);
  const { reasons } = device.health;
  const waiting = countMessages(queueOf(device._id, queue));
  const [first, ...others] = reasons;
  return (
    <Table.Tr>
      <Table.Th scope="row" maw={260}>
        <Stack gap={4}>
          <Anchor
            inherit
            c="inherit"
            fw={600}
            lineClamp={2}
            className="outside-text"
            renderRoot={(root) => <Link to="/phones/$id" params={{ id: device._id }} {...root} />}
          >
            {phoneName(device)}
          </Anchor>
          {device.name && phoneModel(device) && (
            <Text size="xs" c="dimmed" fw={400} lineClamp={1} className="outside-text">
              {phoneModel(device)}
            </Text>
          )}
          <PhoneMarks device={device} />
        </Stack>
      </Table.Th>
      <Table.Td maw={300}>
        <HealthBadge device={device} />
        {first && (
          <Text size="xs" mt={4} className="outside-text">
            {phoneProblemText(t, first).text}
            {others.length > 0 && ` ${t('phones.moreReasons', { count: others.length })}`}
          </Text>
        )}
      </Table.Td>
      <Table.Td maw={260}>
        <Stack gap={4}>
          {simsIn(device._id, sims).map((sim) => (
            <Group key={sim._id} gap={6} wrap="nowrap">
              <Text size="sm" lineClamp={1} className="outside-text">
                {simTitle(t, sim, device, sims)}
              </Text>
              {device.enabled && simState(sim, device) !== 'closed' && (
                <SimStateBadge sim={sim} device={device} />
              )}
            </Group>
          ))}
        </Stack>
      </Table.Td>
      <Table.Td className="numeric">{battery ?? '–'}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        {device.lastContactAt ? <Ago value={device.lastContactAt} /> : t('phones.neverContacted')}
      </Table.Td>
      <Table.Td ta="end" className="numeric" c={waiting === 0 ? 'dimmed' : undefined}>
        {new Intl.NumberFormat(i18n.language).format(waiting)}
      </Table.Td>
      <Table.Td ta="end">
        <PhoneActions device={device} />
      </Table.Td>
    </Table.Tr>
  );
}
