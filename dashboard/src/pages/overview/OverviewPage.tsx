import { Button, SimpleGrid, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  getStatsOptions,
  listDevicesOptions,
  listProblemsOptions,
  listSimsOptions,
  listWebhooksOptions,
  whoAmIOptions,
} from '../../../generated/@tanstack/react-query.gen';
import { PageHeader } from '../../components/PageHeader';
import { QueryState } from '../../components/QueryState';
import { CampaignsPanel } from './CampaignsPanel';
import { FailuresPanel } from './FailuresPanel';
import { Figures } from './Figures';
import { FirstSteps } from './FirstSteps';
import { MonthPanel } from './MonthPanel';
import { ProblemsPanel } from './ProblemsPanel';
import { QueuePanel } from './QueuePanel';

/** What is wrong now comes first, then what happens. */
export default function OverviewPage() {
  const { t } = useTranslation();
  const { data: account } = useSuspenseQuery(whoAmIOptions());
  const problems = useQuery(listProblemsOptions());
  const stats = useQuery(getStatsOptions());
  const counts = stats.data?.data;
  const hasPhone = (counts?.totalDeviceCount ?? 1) > 0;
  const hasSent = (counts?.totalSentSMSCount ?? 1) > 0;
  const isNew = !hasPhone || !hasSent;
  const webhooks = useQuery({ ...listWebhooksOptions(), enabled: isNew });
  const devices = useQuery({ ...listDevicesOptions(), enabled: hasPhone });
  const sims = useQuery({ ...listSimsOptions(), enabled: hasPhone });
  const steps = { pair: hasPhone, send: hasSent, receive: (webhooks.data?.data.length ?? 0) > 0 };
  return (
    <>
      <PageHeader
        title={t('overview.title')}
        actions={
          hasPhone && (
            <Button
              renderRoot={(root) => <Link to="/send" {...root} />}
              leftSection={<IconPlus size={16} aria-hidden />}
            >
              {t('shell.newMessage')}
            </Button>
          )
        }
      />
      <Stack gap="xl">
        <QueryState query={problems} lines={2}>
          {({ data }) => {
            // The first steps say it.
            const shown = isNew ? data.filter(({ code }) => code !== 'no_phone') : data;
            if (shown.length === 0 && !hasPhone) return null;
            return (
              <ProblemsPanel
                problems={shown}
                isOperator={account.data.operator === true}
                deviceOfSim={(id) => sims.data?.data.find(({ _id }) => _id === id)?.device}
              />
            );
          }}
        </QueryState>
        {isNew && <FirstSteps done={steps} />}
        {hasPhone && (
          <>
            <Figures />
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              <QueuePanel devices={devices.data?.data ?? []} sims={sims.data?.data ?? []} />
              <MonthPanel />
              <CampaignsPanel />
              <FailuresPanel />
            </SimpleGrid>
          </>
        )}
      </Stack>
    </>
  );
}
