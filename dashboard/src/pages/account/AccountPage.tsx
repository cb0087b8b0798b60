import { Grid, Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { whoAmIOptions } from '../../../generated/@tanstack/react-query.gen';
import { PageHeader } from '../../components/PageHeader';
import { DeletionSection, ExportSection } from './DataSections';
import { EmailSection } from './EmailSection';
import { NoticesSection } from './NoticesSection';
import { PasswordSection } from './PasswordSection';
import { PlanSection } from './PlanSection';
import { ProfileSection } from './ProfileSection';
import { SessionsSection } from './SessionsSection';

export default function AccountPage() {
  const { t } = useTranslation();
  const { data } = useSuspenseQuery(whoAmIOptions());
  const account = data.data;
  return (
    <>
      <PageHeader title={t('account.title')} />
      <Grid>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack>
            <ProfileSection account={account} />
            <EmailSection account={account} />
            <PasswordSection email={account.email} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <Stack>
            <PlanSection />
            <NoticesSection />
            <SessionsSection />
            <ExportSection />
            <DeletionSection email={account.email} />
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}
