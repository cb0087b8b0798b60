import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function MessagesPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('messages.title')} />;
}
