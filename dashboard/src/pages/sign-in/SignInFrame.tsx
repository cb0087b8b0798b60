import { Card, Center, Group, Stack, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Logo } from '../../shell/Logo';

/** The page of somebody who is not signed in. */
export function SignInFrame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { t } = useTranslation();
  useDocumentTitle(`${title} · ${t('shell.product')}`);
  return (
    <Center component="main" mih="100dvh" p="md">
      <Card w="100%" maw={400} padding="xl" shadow="sm">
        <Stack>
          <Group gap="sm">
            <Logo size={36} />
            <Title order={1}>{title}</Title>
          </Group>
          {children}
        </Stack>
      </Card>
    </Center>
  );
}
