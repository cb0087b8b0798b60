import { Button, SimpleGrid, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  getSessionOptions,
  getStatsOptions,
  listDevicesOptions,
  listProblemsOptions,
  listSimsOptions,
  listWebhooksOptions,
  whoAmIOptions,
} from '../../../generated/@tanstack/react-query.gen';
import { simTitle } from '../../api/sim-name';
import { PageHeader } from '../../components/PageHeader';
import { phoneName } from '../../components/phones/phone';
import { QueryState } from '../../components/QueryState';
import { CampaignsPanel } from './CampaignsPanel';
import { ConsentNotice } from './ConsentNotice';
import { FailuresPanel } from './FailuresPanel';
import { Figures } from './Figures';
import { FirstPassword } from './FirstPassword';
import { FirstSteps } from './FirstSteps';
import { MonthPanel } from './MonthPanel';
import type { Problem } from './problems';
import { ProblemsPanel } from './ProblemsPanel';
import { QueuePanel } from './QueuePanel';
import { TrialNotice } from './TrialNotice';

/** What is wrong now comes first, then what happens. */
export default function OverviewPage() {
  const { t } = useTranslation();
  const { data: account } = useSuspenseQuery(whoAmIOptions());
  const problems = useQuery(listProblemsOptions());
  const stats = useQuery(getStatsOptions());
  const counts = stats.data?.data;
  const hasPhone = (counts?.totalDeviceCount ?? 1) > 0;
  const hasSent = (counts?.totalSentSMSCount ?? 1) > 0;
  const devices = useQuery({ ...listDevicesOptions(), enabled: hasPhone });
  // Nothing that a virtual phone sends leaves the computer.
  const isTrial = hasPhone && devices.data?.data.every(({ isVirtual }) => isVirtual) === true;
  const isNew = !hasPhone || isTrial || !hasSent;
  const webhooks = useQuery({ ...listWebhooksOptions(), enabled: isNew });
  const session = useQuery(getSessionOptions()).data?.data;
  const sims = useQuery({ ...listSimsOptions(), enabled: hasPhone });
  const simOf = (id: string | undefined) => sims.data?.data.find(({ _id }) => _id === id);
  /** The API names a SIM in English. */
  const nameOf = ({ type, id, name }: Problem['subject']): string => {
    const sim = type === 'sim' ? simOf(id) : undefined;
    if (!sim) return name;
    const phones = devices.data?.data ?? [];
    const phone = phones.find(({ _id }) => _id === sim.device);
    const title = simTitle(t, sim, phone, sims.data?.data ?? []);
    return phone && phones.length > 1 ? `${title} · ${phoneName(phone)}` : title;
  };
  const hasReceived = webhooks.data?.data.some(({ lastDeliverySuccessAt }) => lastDeliverySuccessAt) === true;
  const steps = { pair: hasPhone && !isTrial, send: hasSent, receive: hasReceived };
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
        {session?.method === 'sign-in-link' && !session.accountHasPassword && (
          <FirstPassword account={account.data} />
        )}
        <ConsentNotice />
        <QueryState query={problems} lines={2}>
          {({ data }) => {
            // The first steps say it.
            const shown = isNew ? data.filter(({ code }) => code !== 'no_phone') : data;
            if (shown.length === 0 && isTrial) return <TrialNotice />;
            if (shown.length === 0 && !hasPhone) return null;
            return (
              <Stack gap="sm">
                {isTrial && <TrialNotice />}
                <ProblemsPanel
                  problems={shown}
                  isOperator={account.data.operator === true}
                  deviceOfSim={(id) => simOf(id)?.device}
                  nameOf={nameOf}
                />
              </Stack>
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
