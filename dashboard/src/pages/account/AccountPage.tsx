import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function AccountPage() {
  const { t } = useTranslation();
  return <PageHeader title={t('account.title')} />;
}
