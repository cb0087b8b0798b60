import { Alert, Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { createWebhookMutation, updateWebhookMutation } from '../../../generated/@tanstack/react-query.gen';
import { fieldErrors, showFieldErrors } from '../../api/field-errors';
import { useReadAgain } from '../../api/read-again';
import { errorText, showSuccess } from '../../components/notify';
import { SecretField } from './SecretField';
import { DEVICE_EVENTS, type EventName, generateSecret, MESSAGE_EVENTS, type Webhook } from './webhook';

const GROUPS = [
  ['messageEvents', MESSAGE_EVENTS],
  ['deviceEvents', DEVICE_EVENTS],
] as const;

const EXAMPLE_URL = 'https://example.com/hooks/sms';
const MIN_SECRET_LENGTH = 20;
const CHOSEN_AT_FIRST: EventName[] = ['MESSAGE_RECEIVED', 'MESSAGE_DELIVERED', 'MESSAGE_FAILED'];

/** Adds a webhook, or edits one. */
export function WebhookForm({
  webhook,
  onClose,
}: {
  readonly webhook?: Webhook;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const refresh = useReadAgain('webhook', 'delivery');
  const form = useForm({
    initialValues: {
      name: webhook?.name ?? '',
      deliveryUrl: webhook?.deliveryUrl ?? '',
      events: webhook?.events ?? CHOSEN_AT_FIRST,
      signingSecret: webhook ? '' : generateSecret(),
    },
    validate: {
      deliveryUrl: (url) => (url.trim() ? null : t('webhooks.form.urlMissing')),
      events: (events) => (events.length > 0 ? null : t('webhooks.form.eventsMissing')),
      signingSecret: (secret) =>
        webhook || secret.length >= MIN_SECRET_LENGTH ? null : t('webhooks.secret.missing'),
    },
  });
  const shared = {
    meta: { showsErrors: true },
    onError: (error: unknown) => showFieldErrors(form, fieldErrors(error)),
  };
  const create = useMutation({
    ...createWebhookMutation(),
    ...shared,
    onSuccess: async ({ data }) => {
      showSuccess(t('webhooks.form.created'));
      await refresh();
      await navigate({ to: '/webhooks/$id', params: { id: data._id }, search: { tab: 'test' } });
    },
  });
  const update = useMutation({
    ...updateWebhookMutation(),
    ...shared,
    onSuccess: async () => {
      showSuccess(t('webhooks.form.saved'));
      await refresh();
      onClose();
    },
  });
  const { error, isPending } = webhook ? update : create;
  const submit = form.onSubmit(({ signingSecret, deliveryUrl, name, events }) => {
    const body = { name: name.trim(), deliveryUrl: deliveryUrl.trim(), events };
    if (webhook) update.mutate({ path: { webhookId: webhook._id }, body });
    else create.mutate({ body: { ...body, ...(!body.name && { name: undefined }), signingSecret } });
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={t(webhook ? 'webhooks.form.editTitle' : 'webhooks.form.createTitle')}
      closeOnClickOutside={false}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          {error !== null && Object.keys(fieldErrors(error)).length === 0 && (
            <Alert color="red" role="alert" className="outside-text">
              {errorText(error)}
            </Alert>
          )}
          <TextInput
            label={t('webhooks.form.url')}
            description={t('webhooks.form.urlHint')}
            type="url"
            placeholder={EXAMPLE_URL}
            maxLength={2_048}
            required
            data-autofocus
            {...form.getInputProps('deliveryUrl')}
          />
          <TextInput
            label={t('webhooks.form.name')}
            description={t('webhooks.form.nameHint')}
            maxLength={64}
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          <Checkbox.Group label={t('webhooks.form.events')} required {...form.getInputProps('events')}>
            {GROUPS.map(([name, events]) => (
              <Stack key={name} gap="xs" mt="xs">
                <Text size="xs" fw={600} c="dimmed">
                  {t(`webhooks.form.${name}`)}
                </Text>
                {events.map((event) => (
                  <Checkbox
                    key={event}
                    value={event}
                    label={t(`webhooks.event.${event}`)}
                    description={t(`webhooks.meaning.${event}`)}
                  />
                ))}
              </Stack>
            ))}
          </Checkbox.Group>
          {!webhook && (
            <SecretField
              value={form.values.signingSecret}
              error={form.errors.signingSecret as string | undefined}
              onChange={(secret) => form.setFieldValue('signingSecret', secret)}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={isPending}>
              {t(webhook ? 'webhooks.form.save' : 'webhooks.form.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
