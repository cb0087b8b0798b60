import { Code, Group } from '@mantine/core';
import { CopyButton } from '../../../components/CopyButton';

/** A text to type or copy. */
export function Copied({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <Group gap={6} wrap="nowrap" mt={4}>
      <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
      <CopyButton value={value} label={label} />
    </Group>
  );
}
