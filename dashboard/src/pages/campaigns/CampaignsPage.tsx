import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function CampaignsPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('campaigns.title')} />;
}
