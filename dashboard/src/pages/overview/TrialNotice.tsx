import { Card, Group, Text } from '@mantine/core';
import { IconDeviceMobile } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

/** While there are virtual phones only. */
export function TrialNotice() {
  const { t } = useTranslation();
  return (
    <Card py="sm" role="status">
      <Group gap="xs" wrap="nowrap">
        <IconDeviceMobile
          size={20}
          color="var(--mantine-color-blue-text)"
          aria-hidden
          style={{ flexShrink: 0 }}
        />
        <Text>
          <Text span fw={600}>
            {t('overview.trial')}
          </Text>{' '}
          {t('overview.trialText')}
        </Text>
      </Group>
    </Card>
  );
}
