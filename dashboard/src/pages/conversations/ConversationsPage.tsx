import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function ConversationsPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('conversations.title')} />;
}
