import { Alert, Button, Group, Loader, Select, Stack, Text, Title } from '@mantine/core';
import { IconCheck, IconSend, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { testWebhookMutation } from '../../../generated/@tanstack/react-query.gen';
import { ErrorAlert } from '../../components/QueryState';
import { Exchange } from './Exchange';
import { EMITTED_EVENTS, type Webhook } from './webhook';

type Emitted = (typeof EMITTED_EVENTS)[number];
const isEmitted = (name: string | null): name is Emitted => EMITTED_EVENTS.some((event) => event === name);

/** Posts a sample, and shows it with the answer. */
export function TestPanel({ webhook }: { readonly webhook: Webhook }) {
  const { t } = useTranslation();
  const [event, setEvent] = useState<Emitted>(
    EMITTED_EVENTS.find((each) => webhook.events.includes(each)) ?? 'MESSAGE_RECEIVED',
  );
  const test = useMutation({ ...testWebhookMutation(), meta: { showsErrors: true } });
  const sample = test.data?.data;
  return (
    <Stack maw={760}>
      <Title order={2}>{t('webhooks.test.title')}</Title>
      <Text size="sm" c="dimmed">
        {t('webhooks.test.text')}
      </Text>
      <form
        onSubmit={(submitted) => {
          submitted.preventDefault();
          test.mutate({ path: { webhookId: webhook._id }, body: { event } });
        }}
      >
        <Group align="flex-end" gap="xs">
          <Select
            label={t('webhooks.test.event')}
            data={EMITTED_EVENTS.map((value) => ({ value, label: t(`webhooks.event.${value}`) }))}
            value={event}
            allowDeselect={false}
            onChange={(value) => isEmitted(value) && setEvent(value)}
          />
          <Button type="submit" loading={test.isPending} leftSection={<IconSend size={16} aria-hidden />}>
            {t('webhooks.test.submit')}
          </Button>
        </Group>
      </form>
      <div role="status">
        {test.isPending && (
          <Group gap="xs">
            <Loader size="xs" aria-hidden />
            <Text size="sm">{t('webhooks.test.sending')}</Text>
          </Group>
        )}
        {sample && !test.isPending && (
          <Alert
            color={sample.delivered ? 'teal' : 'red'}
            icon={sample.delivered ? <IconCheck aria-hidden /> : <IconX aria-hidden />}
            title={t(sample.delivered ? 'webhooks.test.accepted' : 'webhooks.test.refused')}
          >
            {sample.httpStatusCode === undefined && sample.error}
          </Alert>
        )}
      </div>
      {test.error !== null && <ErrorAlert error={test.error} />}
      {sample && !test.isPending && (
        <Exchange
          url={webhook.deliveryUrl}
          payload={sample.payload}
          status={sample.httpStatusCode}
          body={sample.responseBody}
          error={sample.error}
          durationMs={sample.durationMs}
          isAnswered
        />
      )}
    </Stack>
  );
}
