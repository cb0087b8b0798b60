import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function MessagePage() {
  const { t } = useTranslation();
  return <PageHeader title={t('messages.title')} />;
}
