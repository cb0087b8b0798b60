import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function WebhooksPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('webhooks.title')} />;
}
