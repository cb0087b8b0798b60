import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { deletePoolMutation } from '../../../generated/@tanstack/react-query.gen';
import { ApiError } from '../../api/client';
import { useReadAgain } from '../../api/read-again';
import { errorText, showSuccess } from '../../components/notify';
import type { Pool } from './pool';

/** Asks for the name, because nothing brings a deleted pool back; and what becomes of messages that wait in it. */
export function DeletePoolModal({ pool, onClose }: { readonly pool: Pool; readonly onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useReadAgain('device', 'sim', 'pool');
  const [typed, setTyped] = useState('');
  const { name } = pool;
  const remove = useMutation({
    ...deletePoolMutation(),
    meta: { showsErrors: true },
    onSuccess: async () => {
      onClose();
      showSuccess(t('pools.remove.done', { name }));
      await navigate({ to: '/pools' });
      await refresh();
    },
  });
  const path = { id: pool._id };
  const error: unknown = remove.error;
  const hasMessages = error instanceof ApiError && error.code === 'POOL_HAS_MESSAGES';
  const isConfirmed = typed.trim() === name.trim();
  return (
    <Modal
      opened
      onClose={onClose}
      title={<span className="outside-text">{t('pools.remove.title', { name })}</span>}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          remove.mutate({ path });
        }}
      >
        <Stack>
          <Text size="sm">{t('pools.remove.warning')}</Text>
          <TextInput
            data-autofocus
            label={t('common.typeToConfirm', { name })}
            labelProps={{ className: 'outside-text' }}
            value={typed}
            autoComplete="off"
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {error !== null && (
            <Alert color="red" role="alert">
              <Stack gap="xs" align="flex-start">
                <Text size="sm">{errorText(error)}</Text>
                {hasMessages && (
                  <Button
                    color="red"
                    size="xs"
                    disabled={!isConfirmed}
                    onClick={() => remove.mutate({ path, query: { pending: 'keep' } })}
                  >
                    {t('pools.remove.keep')}
                  </Button>
                )}
              </Stack>
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" color="red" loading={remove.isPending} disabled={!isConfirmed}>
              {t('pools.remove.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
