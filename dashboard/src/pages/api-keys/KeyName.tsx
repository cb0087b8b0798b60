import { ActionIcon, Group, Text, TextInput } from '@mantine/core';
import { IconCheck, IconPencil, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { renameApiKeyMutation } from '../../../generated/@tanstack/react-query.gen';
import type { ApiKeyResponse } from '../../../generated/types.gen';
import { useReadAgain } from '../../api/read-again';
import { errorText, showUndo } from '../../components/notify';

/** The name of a key, which can be changed in place. */
export function KeyName({ apiKey }: { readonly apiKey: ApiKeyResponse }) {
  const { t } = useTranslation();
  const [typed, setTyped] = useState<string>();
  const refresh = useReadAgain('apiKey');
  const { _id, name } = apiKey;
  const rename = useMutation({
    ...renameApiKeyMutation(),
    meta: { showsErrors: true },
    onSuccess: refresh,
  });
  const save = async (to: string) => {
    await rename.mutateAsync({ path: { id: _id }, body: { name: to } });
    setTyped(undefined);
    showUndo(t('apiKeys.renamed', { name: to }), () => rename.mutate({ path: { id: _id }, body: { name } }));
  };
  if (typed === undefined) {
    return (
      <Group gap={4} wrap="nowrap">
        <Text size="sm" fw={600} className="outside-text" lineClamp={2}>
          {name}
        </Text>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={t('apiKeys.rename', { name })}
          onClick={() => {
            rename.reset();
            setTyped(name);
          }}
        >
          <IconPencil size={14} />
        </ActionIcon>
      </Group>
    );
  }
  const close = () => setTyped(undefined);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const to = typed.trim();
        if (to === name) close();
        // The failure is shown beside the field.
        else void save(to).catch(() => undefined);
      }}
    >
      <Group gap={4} wrap="nowrap" align="flex-start">
        <TextInput
          size="xs"
          aria-label={t('apiKeys.newName', { name })}
          value={typed}
          maxLength={64}
          autoFocus
          error={rename.error && errorText(rename.error)}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Escape' && close()}
        />
        <ActionIcon
          type="submit"
          variant="light"
          size={30}
          loading={rename.isPending}
          aria-label={t('common.save')}
        >
          <IconCheck size={14} />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" size={30} aria-label={t('common.cancel')} onClick={close}>
          <IconX size={14} />
        </ActionIcon>
      </Group>
    </form>
  );
}
