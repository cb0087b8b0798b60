import { Alert, Anchor, Button, Card, Grid, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { IconAlertTriangle, IconSend } from '@tabler/icons-react';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { estimateSend, type SendSmsRequest } from '../../../generated';
import { listListsOptions, sendSmsMutation } from '../../../generated/@tanstack/react-query.gen';
import { ApiError } from '../../api/client';
import { newIdempotencyKey } from '../../api/idempotency-key';
import { type Senders, sendingState } from '../../api/senders';
import { StoppedRecipients } from '../../components/blocks/StoppedRecipients';
import { useStopped } from '../../components/blocks/use-stopped';
import { MessageComposer } from '../../components/MessageComposer';
import { errorText } from '../../components/notify';
import { useKeptDraft, useRestoredDraft } from '../../drafts/use-draft';
import { useTimeZone } from '../../preferences/time-zone';
import { CONFIRM_FROM } from './confirm-from';
import { Forecast } from './Forecast';
import { ListSelect } from './ListSelect';
import { MoreOptions } from './MoreOptions';
import { RecipientsInput } from './RecipientsInput';
import { SenderSelect } from './SenderSelect';
import { fieldOf, requestOf, type SendValues, sortErrors } from './send-values';
import { WhenFields } from './WhenFields';

const ConfirmSend = lazy(() => import('./ConfirmSend'));

/** How long nothing is typed before it is estimated. */
const PAUSE_MS = 400;

/** What the service says to a send before it is sent. */
function useEstimate(request: SendSmsRequest, senders: Senders) {
  const [settled] = useDebouncedValue(JSON.stringify(request), PAUSE_MS);
  const body = JSON.parse(settled) as SendSmsRequest & { recipients?: string[] };
  const { recipients = [] } = body;
  const isComplete =
    (recipients.length > 0 || Boolean(body.listId)) && body.message !== '' && body.scheduledAt !== '';
  const query = useQuery({
    queryKey: [{ _id: 'estimateSend', body }, sendingState(senders)],
    queryFn: async ({ signal }) => (await estimateSend({ body, signal, throwOnError: true })).data.data,
    enabled: isComplete,
    placeholderData: keepPreviousData,
  });
  return {
    ...query,
    data: isComplete ? query.data : undefined,
    checked: recipients,
    isOfList: Boolean(body.listId),
  };
}

/** Which recipients are blocked. */
function useStoppedRecipients(recipients: readonly string[]) {
  const [settled] = useDebouncedValue(recipients, PAUSE_MS);
  const { stopped } = useStopped(settled, {}, settled.join());
  return stopped && stopped.blocked.length > 0 ? stopped : undefined;
}

interface SendDraft {
  readonly key: string;
  readonly values: SendValues;
}

/** The form. A key goes with it, so that whatever is clicked or repeated, it is sent once. */
export function SendForm(props: {
  readonly senders: Senders;
  readonly recipients: string[];
  /** Of contacts; empty for none. */
  readonly listId: string;
  readonly text: string;
  readonly sender: string;
  /** The phone that cannot send it now. */
  readonly insteadOf: string | undefined;
  /** Under which it is kept while it is not sent. */
  readonly draftName: string;
  readonly onSent: (batch: string) => void;
}) {
  const { t } = useTranslation();
  const [zone] = useTimeZone();
  const draft = useRestoredDraft(props.draftName) as SendDraft | undefined;
  const [key, setKey] = useState(() => draft?.key ?? newIdempotencyKey());
  const [isAsking, setAsking] = useState(false);
  const send = useMutation({
    ...sendSmsMutation(),
    meta: { showsErrors: true },
    onSuccess: ({ data }) => {
      finishDraft();
      props.onSent(data.smsBatchId);
    },
  });
  const form = useForm<SendValues>({
    initialValues: {
      recipients: props.recipients,
      listId: props.listId,
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
      isTransactional: false,
      ...draft?.values,
    },
    onValuesChange: () => {
      if (send.error) send.reset();
    },
  });
  const { values } = form;
  const isAsOpened =
    values.text === props.text &&
    values.listId === props.listId &&
    values.recipients.join() === props.recipients.join();
  const lists = useQuery(listListsOptions());
  const finishDraft = useKeptDraft(
    props.draftName,
    useMemo(() => (isAsOpened ? undefined : { key, values }), [isAsOpened, key, values]),
  );
  const stopped = useStoppedRecipients(values.recipients);
  const request = requestOf({ ...values, isTransactional: stopped !== undefined && values.isTransactional });
  const estimate = useEstimate(request, props.senders);
  const refusal = send.error ?? estimate.error;
  const isStopped = refusal instanceof ApiError && refusal.code === 'RECIPIENT_SUPPRESSED';
  // Who is blocked is named above the text, with what to do.
  const error = stopped && isStopped ? null : refusal;
  const checked = send.error ? values.recipients : estimate.checked;
  const errors = sortErrors(error instanceof ApiError ? error.details : []);
  const isKeyUsed = error instanceof ApiError && error.code === 'IDEMPOTENCY_KEY_REUSED';
  const hasPlaces = error instanceof ApiError && error.details.length > errors.others.length;

  const submit = (withKey = key) => {
    setAsking(false);
    if (!send.isPending) send.mutate({ body: request, headers: { 'Idempotency-Key': withKey } });
  };
  const submitAsNew = () => {
    const another = newIdempotencyKey();
    setKey(another);
    submit(another);
  };
  const field = fieldOf(values.text);
  const blocked = props.senders.phoneName(props.insteadOf);
  const list = lists.data?.data.find(({ _id }) => _id === values.listId);
  const named = values.listId ? (list?.memberCount ?? 0) : values.recipients.length;
  // Of the recipients before, while others are estimated.
  const count = Math.max(0, named - (estimate.isPlaceholderData ? 0 : (estimate.data?.suppressed ?? 0)));
  const submitOrAsk = () => (count >= CONFIRM_FROM ? setAsking(true) : submit());
  const verb = values.isLater ? 'send.schedule' : 'send.submit';
  return (
    <Grid gap="lg" align="flex-start">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Card component="form" noValidate onSubmit={form.onSubmit(submitOrAsk)}>
          <Stack gap="lg">
            {!values.listId && (
              <RecipientsInput
                value={values.recipients}
                onChange={(recipients) => form.setFieldValue('recipients', recipients)}
                error={errors.recipients}
                bad={errors.badRecipients}
                checked={checked}
              />
            )}
            <ListSelect
              lists={lists.data?.data ?? []}
              value={values.listId}
              onChange={(listId) => form.setFieldValue('listId', listId)}
              error={errors.list}
            />
            {stopped && (
              <StoppedRecipients
                stopped={stopped}
                recipients={values.recipients.length}
                isTransactional={values.isTransactional}
                onTransactional={(is) => form.setFieldValue('isTransactional', is)}
              />
            )}
            <MessageComposer
              label={t('send.text')}
              placeholder={t('send.textPlaceholder')}
              value={values.text}
              onChange={(text) => form.setFieldValue('text', text)}
              error={errors.text}
              onSubmit={submitOrAsk}
            />
            {field !== undefined && (
              <Alert color="yellow" role="status" icon={<IconAlertTriangle />}>
                <Text size="sm" className="outside-text">
                  {t('send.fieldsStay', { field })}{' '}
                  <Anchor component={Link} to="/campaigns/new" inherit c="inherit" underline="always">
                    {t('send.campaign')}
                  </Anchor>
                  .
                </Text>
              </Alert>
            )}
            <SenderSelect
              senders={props.senders}
              value={values.sender}
              onChange={(sender) => form.setFieldValue('sender', sender)}
              error={errors.sender}
            />
            {blocked !== undefined && (
              <Alert color="yellow" role="status" icon={<IconAlertTriangle />}>
                <Text size="sm" className="outside-text">
                  {t(props.sender === '' ? 'send.noOtherPhone' : 'send.otherPhone', { phone: blocked })}
                </Text>
              </Alert>
            )}
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
                {named === 0 ? t('send.submitEmpty') : t(verb, { count })}
              </Button>
              <Text size="xs" c="dimmed" visibleFrom="xs">
                {t('send.shortcut')}
              </Text>
            </Group>
          </Stack>
        </Card>
      </Grid.Col>
      {isAsking && (
        <Suspense>
          <ConfirmSend
            count={count}
            submit={t(verb, { count })}
            onConfirm={() => submit()}
            onClose={() => setAsking(false)}
          />
        </Suspense>
      )}
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Forecast
          estimate={estimate.data}
          estimatedAt={estimate.dataUpdatedAt}
          isCalculating={estimate.isFetching}
          isRefused={estimate.error !== null && (estimate.isOfList || estimate.checked.length > 0)}
          scheduledAt={request.scheduledAt}
          zone={values.isLater ? values.zone : undefined}
          senders={props.senders}
        />
      </Grid.Col>
    </Grid>
  );
}
