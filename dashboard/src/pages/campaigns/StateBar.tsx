import { ColorSwatch, Group, Progress, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Counts, STATES } from '../../components/batch-counts';
import { MESSAGE_COLORS } from '../../components/MessageStatusBadge';

/** The states of the messages of a campaign as a bar, with their numbers. */
export function StateBar({ counts, size = 'md' }: { readonly counts: Counts; readonly size?: 'md' | 'xl' }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const total = STATES.reduce((sum, state) => sum + counts[state], 0);
  const shown = STATES.filter((state) => counts[state] > 0);
  return (
    <>
      <Progress.Root size={size} aria-hidden>
        {shown.map((state) => (
          <Progress.Section
            key={state}
            withAria={false}
            value={(counts[state] / total) * 100}
            color={colorOf(state)}
          />
        ))}
      </Progress.Root>
      <Group gap="sm" mt={6} style={{ rowGap: 2 }}>
        {shown.map((state) => (
          <Group key={state} gap={5} wrap="nowrap">
            <ColorSwatch
              size={9}
              withShadow={false}
              color={`var(--mantine-color-${colorOf(state).replace('.', '-')})`}
              aria-hidden
            />
            <Text size="xs" className="numeric">
              <b>{number.format(counts[state])}</b> {t(`common.status.${state}`)}
            </Text>
          </Group>
        ))}
      </Group>
    </>
  );
}

/** Grey of its own, which is seen in both themes. */
const colorOf = (state: (typeof STATES)[number]) =>
  state === 'pending' ? 'gray.5' : `${MESSAGE_COLORS[state]}.6`;
