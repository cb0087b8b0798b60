import { Group, Loader, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';

export function WaitingForPhone() {
  const { t } = useTranslation();
  return (
    <Stack gap={2} align="center" role="status">
      <Group gap="xs" wrap="nowrap">
        <Loader size="xs" aria-hidden />
        <Text fw={600}>{t('pairing.waiting')}</Text>
      </Group>
      <Text size="sm" c="dimmed" ta="center">
        {t('pairing.intro')}
      </Text>
    </Stack>
  );
}
