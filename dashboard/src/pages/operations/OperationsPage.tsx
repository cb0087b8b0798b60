import { Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { whoAmIOptions } from '../../../generated/@tanstack/react-query.gen';
import { PageHeader } from '../../components/PageHeader';
import { NotFoundPage } from '../../shell/NotFoundPage';
import { AccountsSection } from './AccountsSection';
import { ActionsSection } from './ActionsSection';
import { InstallationSection } from './InstallationSection';

/** For operators; for others it does not exist, as its routes of the API. */
export default function OperationsPage() {
  const { t } = useTranslation();
  const { data } = useSuspenseQuery(whoAmIOptions());
  if (!data.data.operator) return <NotFoundPage />;
  return (
    <>
      <PageHeader title={t('operations.title')} description={t('operations.description')} />
      <Stack gap="xl">
        <InstallationSection />
        <AccountsSection self={data.data._id} />
        <ActionsSection self={data.data._id} />
      </Stack>
    </>
  );
}
