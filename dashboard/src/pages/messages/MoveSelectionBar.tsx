import { Button, Group, Paper, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';
import { useMessageActions } from './message-actions';
import { MoveMessagesModal } from './MoveMessagesModal';
import { MAX_SELECTED, type MoveSelection } from './use-move-selection';

/** What can be done with the messages that are chosen in the list. */
export function MoveSelectionBar(props: { readonly selection: MoveSelection; readonly end: () => void }) {
  const { t } = useTranslation();
  const { readAgain } = useMessageActions();
  const [isMoving, moving] = useDisclosure(false);
  const { messages } = props.selection;
  const count = messages.length;
  return (
    <Paper withBorder p="xs" mb="sm" role="toolbar" aria-label={t('messages.move.select')}>
      <Group justify="space-between" gap="xs">
        <Text size="sm" role="status">
          {count === 0 ? t('messages.move.choose') : t('messages.move.chosen', { count, max: MAX_SELECTED })}
        </Text>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={props.end}>
            {t('common.cancel')}
          </Button>
          <Button size="compact-sm" disabled={count === 0} onClick={moving.open}>
            {t('messages.move.action')}
          </Button>
        </Group>
      </Group>
      {isMoving && (
        <MoveMessagesModal
          messages={messages}
          onMoved={async () => {
            props.end();
            await readAgain();
          }}
          onClose={moving.close}
        />
      )}
    </Paper>
  );
}
