import { Anchor, Card, Divider, Group, Stack, Text, Title } from '@mantine/core';
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
} from '../../components/phones/phone';
import { PhoneActions } from './actions/PhoneActions';
import { HealthBadge, PhoneMarks } from './badges';
import { PhoneFacts } from './facts/PhoneFacts';
import { QuotaBars } from './sims/QuotaBars';
import { SimStateBadge } from './sims/SimStateBadge';

/** More would push the other phones out of sight; the page of the phone has them all. */
const SHOWN_REASONS = 3;

/** A phone at a glance: its state in one word, why it is not good, what it has left. */
export function PhoneCard(props: {
  readonly device: Device;
  readonly sims: readonly Sim[];
  readonly queue: Queue | undefined;
}) {
  const { t } = useTranslation();
  const { device } = props;
  const name = phoneName(device);
  const sims = simsIn(device._id, props.sims);
  const waiting = countMessages(queueOf(device._id, props.queue));
  const { reasons } = device.health;
  return (
    <Card>
      <Stack gap="sm" style={{ flexGrow: 1 }}>
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="xs">
          <Stack gap={4} style={{ minWidth: 0 }}>
            <Title order={2} lineClamp={2} className="outside-text">
              <Anchor
                inherit
                c="inherit"
                renderRoot={(root) => <Link to="/phones/$id" params={{ id: device._id }} {...root} />}
              >
                {name}
              </Anchor>
            </Title>
            {device.name && phoneModel(device) && (
              <Text size="sm" c="dimmed" className="outside-text" lineClamp={1}>
                {phoneModel(device)}
              </Text>
            )}
          </Stack>
          <Group gap={4} wrap="nowrap" style={{ flexShrink: 0 }}>
            <HealthBadge device={device} />
            <PhoneActions device={device} />
          </Group>
        </Group>
        <PhoneMarks device={device} />
        {reasons.length > 0 && (
          <Stack gap={4}>
            {reasons.slice(0, SHOWN_REASONS).map((reason, index) => (
              <Text key={index} size="sm" fw={500} className="outside-text">
                {phoneProblemText(t, reason).text}
              </Text>
            ))}
            {reasons.length > SHOWN_REASONS && (
              <Text size="sm" c="dimmed">
                {t('phones.moreReasons', { count: reasons.length - SHOWN_REASONS })}
              </Text>
            )}
          </Stack>
        )}
        <PhoneFacts device={device} />
        {sims.length > 0 && <Divider />}
        {sims.map((sim) => {
          const title = simTitle(t, sim, device, props.sims);
          return (
            <Stack key={sim._id} gap={6}>
              <Group justify="space-between" wrap="nowrap" gap="xs">
                <Text size="sm" fw={600} className="outside-text" lineClamp={1}>
                  {title}
                </Text>
                <SimStateBadge sim={sim} device={device} />
              </Group>
              <QuotaBars sim={sim} title={title} />
            </Stack>
          );
        })}
        <Text size="sm" c="dimmed" mt="auto" className="numeric">
          {waiting > 0 ? t('queue.waiting', { count: waiting }) : t('queue.empty')}
        </Text>
      </Stack>
    </Card>
  );
}
