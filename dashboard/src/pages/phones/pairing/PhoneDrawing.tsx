import { Box, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A screen of the app, drawn; the text beside it says the same. */
export function PhoneDrawing({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Box
      aria-hidden
      w={124}
      p={6}
      style={{
        flexShrink: 0,
        border: '2px solid var(--mantine-color-gray-6)',
        borderRadius: 14,
        background: 'var(--mantine-color-body)',
      }}
    >
      <Box w={24} h={3} mx="auto" mb={6} bg="gray.5" style={{ borderRadius: 2 }} />
      <Text fz={10} fw={700} lh={1.3} mb={4}>
        {title}
      </Text>
      <Stack gap={4}>{children}</Stack>
    </Box>
  );
}

/** A line of the screen. @param isActive whether it is the one to tap. */
export function DrawnRow(props: {
  readonly label: string;
  readonly value?: string;
  readonly isActive?: boolean;
  readonly mark?: ReactNode;
}) {
  const { label, value, isActive = false, mark } = props;
  return (
    <Group
      gap={4}
      px={5}
      py={3}
      wrap="nowrap"
      justify="space-between"
      style={{
        borderRadius: 6,
        border: `1px solid ${isActive ? 'var(--mantine-primary-color-filled)' : 'var(--mantine-color-default-border)'}`,
        ...(isActive && { background: 'var(--mantine-primary-color-light)' }),
      }}
    >
      <Box style={{ minWidth: 0 }}>
        <Text fz={10} lh={1.3} fw={isActive ? 600 : 400}>
          {label}
        </Text>
        {value !== undefined && (
          <Text fz={9} lh={1.3} truncate>
            {value}
          </Text>
        )}
      </Box>
      {mark}
    </Group>
  );
}

export function DrawnSwitch() {
  return (
    <Box
      w={20}
      h={11}
      p={1.5}
      bg="var(--mantine-primary-color-filled)"
      style={{ borderRadius: 6, display: 'flex', justifyContent: 'flex-end', flexShrink: 0 }}
    >
      <Box w={8} h={8} bg="white" style={{ borderRadius: '50%' }} />
    </Box>
  );
}
