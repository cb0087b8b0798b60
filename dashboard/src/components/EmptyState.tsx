import { Center, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** What an empty page shows: the first step, with its button. */
export function EmptyState(props: {
  readonly icon: ReactNode;
  readonly title: string;
  readonly text: string;
  readonly action?: ReactNode;
}) {
  return (
    <Center py={48}>
      <Stack align="center" gap="sm" maw={440}>
        <ThemeIcon size={56} radius="xl" variant="light">
          {props.icon}
        </ThemeIcon>
        <Title order={2} ta="center">
          {props.title}
        </Title>
        <Text ta="center" c="dimmed">
          {props.text}
        </Text>
        {props.action}
      </Stack>
    </Center>
  );
}
