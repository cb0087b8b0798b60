import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function PoolPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('pools.title')} />;
}
