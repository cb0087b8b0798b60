import { useTranslation } from 'react-i18next';
import { type Failure, failureText } from '../../components/failure-text';

/** Why a message failed. */
export default function FailureLine({ failure }: { readonly failure: Failure }) {
  const { t } = useTranslation();
  return failureText(t, failure);
}
