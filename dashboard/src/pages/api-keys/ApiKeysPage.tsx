import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function ApiKeysPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('apiKeys.title')} />;
}
