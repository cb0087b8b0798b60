import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function OverviewPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('overview.title')} />;
}
