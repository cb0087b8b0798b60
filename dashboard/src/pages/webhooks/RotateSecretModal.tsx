import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { updateWebhookMutation } from '../../../generated/@tanstack/react-query.gen';
import { fieldErrors } from '../../api/field-errors';
import { useReadAgain } from '../../api/read-again';
import { errorText, showSuccess } from '../../components/notify';
import { useTimeFormat } from '../../components/Time';
import { SecretField } from './SecretField';
import { generateSecret, type Webhook } from './webhook';

/** How long the previous secret keeps signing. */
const PREVIOUS_VALID_MS = 24 * 3_600_000;

export function RotateSecretModal({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const { short } = useTimeFormat();
  const refresh = useReadAgain('webhook', 'delivery');
  const [secret, setSecret] = useState(generateSecret);
  const rotate = useMutation({
    ...updateWebhookMutation(),
    meta: { showsErrors: true },
    onSuccess: async ({ data }) => {
      const until = new Date(Date.parse(data.updatedAt) + PREVIOUS_VALID_MS);
      showSuccess(t('webhooks.rotation.done', { time: short(until) }));
      await refresh();
      onClose();
    },
  });
  const fieldError = fieldErrors(rotate.error).signingSecret;
  return (
    <Modal opened onClose={onClose} title={t('webhooks.rotation.title')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rotate.mutate({ path: { webhookId: webhook._id }, body: { signingSecret: secret } });
        }}
      >
        <Stack>
          <Text size="sm">{t('webhooks.rotation.text')}</Text>
          <SecretField value={secret} error={fieldError} onChange={setSecret} />
          {rotate.error !== null && !fieldError && (
            <Alert color="red" role="alert" className="outside-text">
              {errorText(rotate.error)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={rotate.isPending}>
              {t('webhooks.rotation.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
