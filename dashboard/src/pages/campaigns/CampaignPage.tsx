import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function CampaignPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('campaigns.title')} />;
}
