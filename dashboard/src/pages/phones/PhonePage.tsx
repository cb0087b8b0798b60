import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../components/PageHeader';

export default function PhonePage() {
  const { t } = useTranslation();
  return <PageHeader title={t('phones.title')} />;
}
