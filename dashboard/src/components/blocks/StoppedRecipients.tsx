import { Alert, Checkbox, Stack, Text } from '@mantine/core';
import { IconBan } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SuppressionCheckResponse } from '../../../generated';
import { BlockText } from './BlockText';

/** Beyond these, their count is enough. */
const MAX_SHOWN = 3;

/** Which recipients are blocked, who said what when, and whether the message is no advertising all the same. */
export function StoppedRecipients(props: {
  readonly stopped: SuppressionCheckResponse;
  readonly recipients: number;
  readonly isTransactional: boolean;
  readonly onTransactional: (is: boolean) => void;
}) {
  const { t } = useTranslation();
  const { stopped, recipients, isTransactional, onTransactional } = props;
  const count = stopped.blocked.length;
  const isHopeless =
    stopped.blocks.length === count && stopped.blocks.every(({ covers }) => covers === 'everything');
  return (
    <Alert
      color="red"
      icon={<IconBan aria-hidden />}
      role="status"
      title={recipients === 1 ? t('blocks.ofAll') : t('blocks.ofRecipients', { count })}
    >
      <Stack gap="xs">
        {stopped.blocks.slice(0, MAX_SHOWN).map((block) => (
          <div key={block.index}>
            {recipients > 1 && (
              <Text size="sm" fw={600} className="numeric">
                {block.number}
              </Text>
            )}
            <BlockText block={block} />
          </div>
        ))}
        {count > MAX_SHOWN && <Text size="sm">{t('blocks.more', { count: count - MAX_SHOWN })}</Text>}
        {!isHopeless && (
          <Checkbox
            checked={isTransactional}
            onChange={({ currentTarget }) => onTransactional(currentTarget.checked)}
            label={t('blocks.answers')}
          />
        )}
      </Stack>
    </Alert>
  );
}
