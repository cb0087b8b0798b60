import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function SendPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('send.title')} />;
}
