import { Button } from '@mantine/core';
import { IconDeviceMobilePlus } from '@tabler/icons-react';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useSenders } from '../../api/senders';
import { EmptyState } from '../../components/EmptyState';
import { PageHeader } from '../../components/PageHeader';
import { LoadingSkeleton } from '../../components/QueryState';
import { SendForm } from './SendForm';
import { SentBatch } from './SentBatch';
import { numbersOf, textOf } from './send-values';

/** `?to=`, `?list=`, `?text=` and `?from=device:ID` fill the form, `?insteadOf=` is the phone that cannot send it; `?batch=` shows what became of a send. */
export default function SendPage() {
  const { t } = useTranslation();
  const parameters: unknown = useSearch({ strict: false });
  const { to, list, text, from, insteadOf, batch } = parameters as Record<string, unknown>;
  const navigate = useNavigate();
  const senders = useSenders();
  const address = JSON.stringify([to, list, text, from]);
  return (
    <>
      <PageHeader title={t('send.title')} description={t('send.description')} />
      {typeof batch === 'string' ? (
        <SentBatch batch={batch} senders={senders} />
      ) : !senders.isLoaded ? (
        <LoadingSkeleton lines={6} />
      ) : senders.devices.length === 0 ? (
        <EmptyState
          icon={<IconDeviceMobilePlus />}
          title={t('send.noPhones')}
          text={t('send.noPhonesText')}
          action={
            <Button component={Link} to="/phones">
              {t('send.pairPhone')}
            </Button>
          }
        />
      ) : (
        <SendForm
          // Another link to the page fills another form.
          key={address}
          draftName={`send ${address}`}
          senders={senders}
          recipients={numbersOf(to)}
          listId={typeof list === 'string' ? list : ''}
          text={textOf(text)}
          sender={typeof from === 'string' ? from : ''}
          insteadOf={typeof insteadOf === 'string' ? insteadOf : undefined}
          onSent={(id) => void navigate({ to: '/send', search: { batch: id } })}
        />
      )}
    </>
  );
}
