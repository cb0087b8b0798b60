import { ActionIcon, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconNote, IconPencil } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getConversationQueryKey,
  updateConversationMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { errorText, showSuccess } from '../../components/notify';

/** The bound of the API. */
const MAX_CHARACTERS = 2_000;

/** What the account noted about a number. */
export function ConversationNote(props: {
  readonly number: string;
  readonly note: string | undefined;
  readonly exists: boolean;
}) {
  const { t } = useTranslation();
  const { number, note, exists } = props;
  const [isOpen, { open, close }] = useDisclosure();
  if (!exists) return null;
  if (isOpen) return <Editor number={number} note={note ?? ''} close={close} />;
  if (!note)
    return (
      <div>
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          px={0}
          leftSection={<IconNote size={14} />}
          onClick={open}
        >
          {t('conversations.addNote')}
        </Button>
      </div>
    );
  return (
    <Group gap={6} wrap="nowrap" align="flex-start">
      <Text size="sm" className="outside-text" lineClamp={3} style={{ minWidth: 0 }}>
        {note}
      </Text>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        onClick={open}
        aria-label={t('conversations.editNote')}
      >
        <IconPencil size={14} />
      </ActionIcon>
    </Group>
  );
}

function Editor(props: { readonly number: string; readonly note: string; readonly close: () => void }) {
  const { t } = useTranslation();
  const { number, close } = props;
  const [text, setText] = useState(props.note);
  const queries = useQueryClient();
  const save = useMutation({
    ...updateConversationMutation(),
    meta: { showsErrors: true },
    onSuccess: (saved) => {
      queries.setQueryData(getConversationQueryKey({ path: { number } }), saved);
      void queries.invalidateQueries({ queryKey: [{ _id: 'listConversations' }] });
      showSuccess(t('conversations.noteSaved'));
      close();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ path: { number }, body: { note: text.trim() || null } });
      }}
    >
      <Stack gap="xs">
        <Textarea
          label={t('conversations.note')}
          description={t('conversations.noteHint')}
          autosize
          minRows={2}
          maxRows={6}
          maxLength={MAX_CHARACTERS}
          data-autofocus
          autoFocus
          value={text}
          error={save.error && errorText(save.error)}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close();
          }}
        />
        <Group gap="xs">
          <Button type="submit" size="xs" loading={save.isPending}>
            {t('common.save')}
          </Button>
          <Button size="xs" variant="default" onClick={close}>
            {t('common.cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
