import { Badge, Button, Card, Divider, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconAdjustments } from '@tabler/icons-react';
import { Fragment, lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { simTitle } from '../../../api/sim-name';
import type { Device, Sim } from '../../../components/phones/phone';
import { useSearchParam } from '../../../components/search-param';
import { usePhoneChanges } from '../actions/use-phone-changes';
import { QuotaBars } from './QuotaBars';
import { SimStateBadge } from './SimStateBadge';

const SimDrawer = lazy(() => import('./SimDrawer'));

/** The SIMs in a phone, with what is left of their limits. */
export function SimPanel(props: {
  readonly device: Device;
  readonly sims: readonly Sim[];
  readonly isLoading: boolean;
}) {
  const { t } = useTranslation();
  const { device, sims } = props;
  const [opened, open] = useSearchParam('sim');
  const shown = sims.find(({ _id }) => _id === opened);
  const titleOf = (sim: Sim) => simTitle(t, sim, device, sims);
  return (
    <Card component="section" aria-label={t('phones.sims.title')}>
      <Title order={2} mb="sm">
        {t('phones.sims.title')}
      </Title>
      {props.isLoading && <Skeleton height={60} />}
      {!props.isLoading && sims.length === 0 && (
        <Text size="sm" c="dimmed">
          {t('phones.sims.none')}
        </Text>
      )}
      <Stack>
        {sims.map((sim, index) => (
          <Fragment key={sim._id}>
            {index > 0 && <Divider />}
            <SimRow
              device={device}
              sim={sim}
              title={titleOf(sim)}
              isOnly={sims.length === 1}
              onEdit={() => open(sim._id)}
            />
          </Fragment>
        ))}
      </Stack>
      {shown && (
        <Suspense>
          <SimDrawer key={shown._id} sim={shown} title={titleOf(shown)} onClose={() => open(undefined)} />
        </Suspense>
      )}
    </Card>
  );
}

function SimRow(props: {
  readonly device: Device;
  readonly sim: Sim;
  readonly title: string;
  readonly isOnly: boolean;
  readonly onEdit: () => void;
}) {
  const { t } = useTranslation();
  const { device, sim, title, isOnly } = props;
  const { setDefaultSim } = usePhoneChanges(device);
  const { subscriptionId } = sim;

  const isDefault = subscriptionId !== undefined && device.defaultSim === subscriptionId;
  const facts = [
    sim.label === undefined ? undefined : sim.phoneNumber,
    (sim.label ?? sim.phoneNumber) ? sim.carrierName : undefined,
    sim.countryIso?.toUpperCase(),
  ].filter((fact) => fact !== undefined && fact !== '');
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs" align="flex-start">
        <Stack gap={2} style={{ minWidth: 0, flex: '1 1 160px' }}>
          <Group gap="xs">
            <Title order={3} className="outside-text" lineClamp={2}>
              {title}
            </Title>
            <SimStateBadge sim={sim} device={device} />
            {isDefault && !isOnly && (
              <Badge variant="outline" color="gray" tt="none" fw={500}>
                {t('phones.sims.default')}
              </Badge>
            )}
          </Group>
          {facts.length > 0 && (
            <Text size="sm" c="dimmed" className="outside-text numeric" lineClamp={1}>
              {facts.join(' · ')}
            </Text>
          )}
        </Stack>
        <Group gap="xs">
          {!isOnly && !isDefault && subscriptionId !== undefined && (
            <Button size="xs" variant="subtle" onClick={() => void setDefaultSim(subscriptionId, title)}>
              {t('phones.sims.makeDefault')}
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            leftSection={<IconAdjustments size={16} aria-hidden />}
            aria-label={t('phones.sims.settingsOf', { name: title })}
            onClick={props.onEdit}
          >
            {t('phones.sims.settings')}
          </Button>
        </Group>
      </Group>
      <QuotaBars sim={sim} title={title} />
    </Stack>
  );
}
