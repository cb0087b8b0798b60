import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function OperationsPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('operations.title')} />;
}
