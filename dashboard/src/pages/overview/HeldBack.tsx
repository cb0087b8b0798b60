import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Queue } from '../../components/phones/phone';
import { Time } from '../../components/Time';

/** Why messages wait. */
export function HeldBack({ entries }: { readonly entries: Queue['sims'][number]['heldBack'] }) {
  const { t } = useTranslation();
  return entries.map(({ reason, count, until }) => (
    <Text key={reason} size="xs" c="dimmed" component="div">
      {t('queue.heldBack', { count, reason: t(`waits.${reason}`) })}
      {until && (
        <>
          {' · '}
          <Time value={until} />
        </>
      )}
    </Text>
  ));
}
