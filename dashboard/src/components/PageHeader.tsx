import { Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/** The heading of a page, with its actions. */
export function PageHeader(props: {
  readonly title: string;
  readonly description?: ReactNode;
  readonly actions?: ReactNode;
}) {
  const { t } = useTranslation();
  useDocumentTitle(`${props.title} · ${t('shell.product')}`);
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
      <Stack gap={2} style={{ minWidth: 0 }}>
        <Title order={1} className="outside-text" lineClamp={3}>
          {props.title}
        </Title>
        {props.description && (
          <Text c="dimmed" size="sm" component="div">
            {props.description}
          </Text>
        )}
      </Stack>
      {props.actions && <Group gap="xs">{props.actions}</Group>}
    </Group>
  );
}
