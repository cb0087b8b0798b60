import { Button, Card, Group, Text, Title } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { AccountResponse } from '../../../generated';

/** Asks somebody without a password to set one, until they say that they do not want to now. */
export function FirstPassword({ account }: { readonly account: AccountResponse }) {
  const { t } = useTranslation();
  const [isDismissed, setDismissed] = useLocalStorage({
    key: `no-password-${account._id}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  if (isDismissed) return null;
  return (
    <Card component="section" aria-label={t('overview.password.title')}>
      <Title order={2}>{t('overview.password.title')}</Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('overview.password.text')}
      </Text>
      <Group gap="sm">
        <Button renderRoot={(root) => <Link to="/account" hash="password" {...root} />}>
          {t('overview.password.set')}
        </Button>
        <Button variant="subtle" color="gray" onClick={() => setDismissed(true)}>
          {t('overview.password.later')}
        </Button>
      </Group>
    </Card>
  );
}
