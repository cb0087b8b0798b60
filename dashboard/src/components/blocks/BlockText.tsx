import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SuppressionResponse } from '../../../generated';
import { useTimeFormat } from '../Time';

/** Who said what when, and what it stops. */
export function BlockText({ block }: { readonly block: SuppressionResponse }) {
  const { t } = useTranslation();
  const { short } = useTimeFormat();
  const { source, words, at, state, covers, outAt, reason, topic } = block;
  const said =
    source === 'keyword'
      ? t('blocks.saidByPerson', { words, time: short(at) })
      : t('blocks.saidByOwner', { time: short(at) });
  const effect = () => {
    if (topic !== undefined) return t('blocks.ofTopic', { topic });
    if (state === 'held' && outAt) return t('blocks.heldUntil', { time: short(outAt) });
    return t(`blocks.covers.${covers}`);
  };
  return (
    <Text size="sm" className="outside-text">
      {[said, reason, effect()].filter(Boolean).join(' ')}
    </Text>
  );
}
