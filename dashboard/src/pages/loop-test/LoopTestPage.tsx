import { Alert, Button, Grid } from '@mantine/core';
import { IconDeviceMobile, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  getLoopTestOptions,
  getLoopTestQueryKey,
  listDevicesOptions,
  listSimsOptions,
  runLoopTestMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { simTitle } from '../../api/sim-name';
import { EmptyState } from '../../components/EmptyState';
import { errorText } from '../../components/notify';
import { PageHeader } from '../../components/PageHeader';
import { phoneName, type Sim, simsIn } from '../../components/phones/phone';
import { QueryState } from '../../components/QueryState';
import { LoopTestForm } from './LoopTestForm';
import { LoopTestResult } from './LoopTestResult';

const REFRESH_MS = 2_000;

/** Two SIMs that send texts to each other. */
export default function LoopTestPage() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const sims = useQuery(listSimsOptions());
  const devices = useQuery(listDevicesOptions());
  const test = useQuery({
    ...getLoopTestOptions(),
    refetchInterval: ({ state }) => (isRunning(state.data?.data) ? REFRESH_MS : false),
  });
  const run = useMutation({
    ...runLoopTestMutation(),
    meta: { showsErrors: true },
    onSuccess: (answer) => queries.setQueryData(getLoopTestQueryKey(), answer),
  });
  const phones = devices.data?.data ?? [];
  const all = sims.data?.data ?? [];
  const titleOf = (sim: Sim) => {
    const phone = phones.find(({ _id }) => _id === sim.device);
    const title = simTitle(t, sim, phone, all);
    return phone ? `${title} · ${phoneName(phone)}` : title;
  };
  const inPhones = phones.flatMap(({ _id }) => simsIn(_id, all));
  const choices = inPhones.map((sim) => ({ sim, title: titleOf(sim) }));
  const isSetUp = test.data?.data.sims.length === 2;
  return (
    <>
      <PageHeader
        title={t('loopTest.title')}
        description={t('loopTest.description')}
        actions={
          isSetUp && (
            <Button
              leftSection={<IconPlayerPlay size={18} aria-hidden />}
              loading={run.isPending}
              disabled={isRunning(test.data?.data)}
              onClick={() => run.mutate({})}
            >
              {t('loopTest.run')}
            </Button>
          )
        }
      />
      {run.error && (
        <Alert color="red" mb="md">
          {errorText(run.error)}
        </Alert>
      )}
      <QueryState query={sims}>
        {() =>
          choices.length < 2 ? (
            <EmptyState
              icon={<IconDeviceMobile aria-hidden />}
              title={t('loopTest.emptyTitle')}
              text={t('loopTest.emptyText')}
              action={
                <Button renderRoot={(props) => <Link to="/phones" {...props} />}>
                  {t('loopTest.toPhones')}
                </Button>
              }
            />
          ) : (
            <QueryState query={test}>
              {({ data }) => (
                <Grid>
                  <Grid.Col span={{ base: 12, lg: 6 }}>
                    <LoopTestResult test={data} titleOf={(id) => titleOfSim(id, choices, data)} />
                  </Grid.Col>
                  <Grid.Col span={{ base: 12, lg: 6 }}>
                    <LoopTestForm test={data} choices={choices} />
                  </Grid.Col>
                </Grid>
              )}
            </QueryState>
          )
        }
      </QueryState>
    </>
  );
}

type Test = Parameters<typeof LoopTestResult>[0]['test'];

const isRunning = (test: Test | undefined): boolean => test?.run !== undefined && !test.run.endedAt;

const titleOfSim = (
  id: string,
  choices: readonly { readonly sim: Sim; readonly title: string }[],
  { sims }: Test,
): string =>
  choices.find(({ sim }) => sim._id === id)?.title ?? sims.find(({ _id }) => _id === id)?.name ?? id;
