import { Button, Center } from '@mantine/core';
import { IconMapQuestion } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { EmptyState } from '../components/EmptyState';

export function NotFoundPage() {
  const { t } = useTranslation();
  return (
    <EmptyState
      icon={<IconMapQuestion size={28} />}
      title="404"
      text={t('common.notFound')}
      action={
        <Button component={Link} to="/">
          {t('common.toOverview')}
        </Button>
      }
    />
  );
}

/** An address of no page at all: nobody may be signed in, so there is nothing around it. */
export function LostPage() {
  return (
    <Center component="main" mih="80dvh" p="md">
      <NotFoundPage />
    </Center>
  );
}
