import { Anchor, Card, Group, Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { getConsentSettingsOptions } from '../../../generated/@tanstack/react-query.gen';

/** Until the owner of an account that is older than this setting has decided whether STOP is obeyed. */
export function ConsentNotice() {
  const { t } = useTranslation();
  const settings = useQuery(getConsentSettingsOptions()).data?.data;
  if (settings?.asked !== false) return null;
  return (
    <Card py="sm" role="status">
      <Group gap="xs" wrap="nowrap">
        <IconBan size={20} color="var(--mantine-color-yellow-text)" aria-hidden style={{ flexShrink: 0 }} />
        <Text>
          {t('overview.consentNotice')}{' '}
          <Anchor renderRoot={(root) => <Link to="/opt-outs" {...root} />}>
            {t('overview.consentDecide')}
          </Anchor>
        </Text>
      </Group>
    </Card>
  );
}
