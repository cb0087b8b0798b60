import { Button, Grid, Group, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getDeviceOptions,
  getQueueOptions,
  listProblemsOptions,
  listSimsOptions,
} from '../../../generated/@tanstack/react-query.gen';
import { PageHeader } from '../../components/PageHeader';
import {
  type Device,
  phoneModel,
  phoneName,
  problemsOf,
  queueOf,
  simsIn,
} from '../../components/phones/phone';
import { QueryState } from '../../components/QueryState';
import { useSearchParam } from '../../components/search-param';
import { loadCatalogues } from '../../i18n';
import { PhoneActions } from './actions/PhoneActions';
import { TestMessageModal } from './actions/TestMessageModal';
import { HealthBadge, PhoneMarks } from './badges';
import { CheckupCard } from './CheckupCard';
import { DrainPanel } from './DrainPanel';
import { PhoneDetails, PhonePermissions } from './PhoneDetails';
import { ProblemList } from './ProblemList';
import { QueuePanel } from './QueuePanel';
import { SimPanel } from './sims/SimPanel';

/** Opened for a phone that was just paired. */
const PairingChecks = lazy(async () => {
  const [checks] = await Promise.all([import('./pairing/PairingChecks'), loadCatalogues(['pairing'])]);
  return checks;
});

export default function PhonePage() {
  const { id = '' } = useParams({ strict: false });
  const device = useQuery(getDeviceOptions({ path: { id } }));
  return (
    <QueryState query={device} lines={8}>
      {({ data }) => <Phone key={id} device={data} />}
    </QueryState>
  );
}

function Phone({ device }: { readonly device: Device }) {
  const { t } = useTranslation();
  const [isTesting, setTesting] = useState(false);
  const [isJustPaired, setJustPaired] = useSearchParam('paired');
  const sims = useQuery(listSimsOptions());
  const problems = useQuery(listProblemsOptions());
  const queue = useQuery(getQueueOptions());
  const allSims = sims.data?.data ?? [];
  const entries = queueOf(device._id, queue.data?.data);
  const model = phoneModel(device);
  const found = problemsOf(device._id, allSims, problems.data?.data ?? []);
  return (
    <>
      <PageHeader
        title={phoneName(device)}
        description={
          <Group gap="xs">
            {device.name && model && (
              <Text inherit span className="outside-text" lineClamp={2}>
                {model}
              </Text>
            )}
            <PhoneMarks device={device} />
          </Group>
        }
        actions={
          <>
            <HealthBadge device={device} />
            <Button leftSection={<IconSend size={18} aria-hidden />} onClick={() => setTesting(true)}>
              {t('phones.test.action')}
            </Button>
            <PhoneActions device={device} />
          </>
        }
      />
      <Grid>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack>
            {isJustPaired === true && (
              <Suspense>
                <PairingChecks device={device} onClose={() => setJustPaired(undefined)} />
              </Suspense>
            )}
            <ProblemList device={device} sims={allSims} problems={found} />
            {device.drainingSince && (
              <DrainPanel
                device={device}
                entries={entries}
                isDrained={found.some(({ code }) => code === 'phone_drained')}
              />
            )}
            <SimPanel device={device} sims={simsIn(device._id, allSims)} isLoading={sims.isPending} />
            <QueuePanel device={device} sims={allSims} queue={queue} entries={entries} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack>
            <CheckupCard device={device} />
            <PhoneDetails device={device} />
            <PhonePermissions device={device} />
          </Stack>
        </Grid.Col>
      </Grid>
      {isTesting && <TestMessageModal device={device} onClose={() => setTesting(false)} />}
    </>
  );
}
