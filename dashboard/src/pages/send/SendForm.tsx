import { Alert, Anchor, Button, Card, Grid, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSend } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { estimateSend, type SendSmsRequest } from '../../../generated';
import { sendSmsMutation } from '../../../generated/@tanstack/react-query.gen';
import { ApiError } from '../../api/client';
import { newIdempotencyKey } from '../../api/idempotency-key';
import type { Senders } from '../../api/senders';
import { MessageComposer } from '../../components/MessageComposer';
import { errorText } from '../../components/notify';
import { useTimeZone } from '../../preferences/time-zone';
import { Forecast } from './Forecast';
import { MoreOptions } from './MoreOptions';
import { RecipientsInput } from './RecipientsInput';
import { SenderSelect } from './SenderSelect';
import { requestOf, type SendValues, sortErrors } from './send-values';
import { WhenFields } from './WhenFields';

/** How long nothing is typed before it is estimated. */
const PAUSE_MS = 400;

/** What the service says to a send before it is sent. */
function useEstimate(request: SendSmsRequest) {
  const [settled] = useDebouncedValue(JSON.stringify(request), PAUSE_MS);
  const body = JSON.parse(settled) as SendSmsRequest & { recipients: string[] };
  const isComplete = body.recipients.length > 0 && body.message !== '' && body.scheduledAt !== '';
  const query = useQuery({
    queryKey: [{ _id: 'estimateSend', body }],
    queryFn: async ({ signal }) => (await estimateSend({ body, signal, throwOnError: true })).data.data,
    enabled: isComplete,
    placeholderData: keepPreviousData,
  });
  return { ...query, data: isComplete ? query.data : undefined, checked: body.recipients };
}

/** The form. A key goes with it, so that whatever is clicked or repeated, it is sent once. */
export function SendForm(props: {
  readonly senders: Senders;
  readonly recipients: string[];
  readonly text: string;
  readonly sender: string;
  readonly onSent: (batch: string) => void;
}) {
  const { t } = useTranslation();
  const [zone] = useTimeZone();
  const [key, setKey] = useState(newIdempotencyKey);
  const send = useMutation({
    ...sendSmsMutation(),
    meta: { showsErrors: true },
    onSuccess: ({ data }) => props.onSent(data.smsBatchId),
  });
  const form = useForm<SendValues>({
    initialValues: {
      recipients: props.recipients,
      text: props.text,
      sender: props.sender,
      isLater: false,
      clock: '',
      zone,
      isUrgent: false,
      validFor: '',
      keepsQuiet: false,
      quietFrom: '21:00',
      quietTo: '08:00',
    },
    onValuesChange: () => {
      if (send.error) send.reset();
    },
  });
  const { values } = form;
  const request = requestOf(values);
  const estimate = useEstimate(request);
  const error = send.error ?? estimate.error;
  const checked = send.error ? values.recipients : estimate.checked;
  const errors = sortErrors(error instanceof ApiError ? error.details : []);
  const isKeyUsed = error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_REUSED';
  const hasPlaces = error instanceof ApiError && error.details.length > errors.others.length;

  const submit = (withKey = key) => {
    if (!send.isPending) send.mutate({ body: request, headers: { 'Idempotency-Key': withKey } });
  };
  const submitAsNew = () => {
    const another = newIdempotencyKey();
    setKey(another);
    submit(another);
  };
  const count = values.recipients.length;
  const verb = values.isLater ? 'send.schedule' : 'send.submit';
  return (
    <Grid gap="lg" align="flex-start">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Card component="form" noValidate onSubmit={form.onSubmit(() => submit())}>
          <Stack gap="lg">
            <RecipientsInput
              value={values.recipients}
              onChange={(recipients) => form.setFieldValue('recipients', recipients)}
              error={errors.recipients}
              bad={errors.badRecipients}
              checked={checked}
            />
            <MessageComposer
              label={t('send.text')}
              placeholder={t('send.textPlaceholder')}
              value={values.text}
              onChange={(text) => form.setFieldValue('text', text)}
              error={errors.text}
              onSubmit={submit}
            />
            <SenderSelect
              senders={props.senders}
              value={values.sender}
              onChange={(sender) => form.setFieldValue('sender', sender)}
              error={errors.sender}
            />
            <WhenFields values={values} onChange={form.setValues} error={errors.schedule} />
            <MoreOptions values={values} onChange={form.setValues} error={errors.options} />
            {isKeyUsed && (
              <Alert color="yellow" role="alert">
                <Text size="sm">{t('send.keyUsed')}</Text>
                <Group mt="xs">
                  <Anchor component={Link} to="/messages" size="sm">
                    {t('send.toMessages')}
                  </Anchor>
                  <Button size="compact-sm" variant="default" onClick={submitAsNew}>
                    {t('send.sendAsNew')}
                  </Button>
                </Group>
              </Alert>
            )}
            {error && !isKeyUsed && (!hasPlaces || errors.others.length > 0) && (
              <Alert color="red" role="alert">
                <Text size="sm" className="outside-text">
                  {errors.others.length > 0 ? errors.others.join('; ') : errorText(error)}
                </Text>
              </Alert>
            )}
            <Group justify="space-between">
              <Button type="submit" loading={send.isPending} leftSection={<IconSend size={16} />}>
                {count === 0 ? t('send.submitEmpty') : t(verb, { count })}
              </Button>
              <Text size="xs" c="dimmed" visibleFrom="xs">
                {t('send.shortcut')}
              </Text>
            </Group>
          </Stack>
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Forecast
          estimate={estimate.data}
          estimatedAt={estimate.dataUpdatedAt}
          isCalculating={estimate.isFetching}
          isRefused={estimate.error !== null && estimate.checked.length > 0}
          scheduledAt={request.scheduledAt}
          senders={props.senders}
        />
      </Grid.Col>
    </Grid>
  );
}
