import {
  Alert,
  Anchor,
  Button,
  Card,
  Checkbox,
  Grid,
  Group,
  Loader,
  Stack,
  Switch,
  Text,
  Title,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useDeferredValue, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Country, parseCountry } from '../../../../src/common/peer-number';
import { readPhoneNumber } from '../../../../src/common/phone-number';
import { sendBulkSms, type SendBulkSmsRequest } from '../../../generated';
import { whoAmIOptions } from '../../../generated/@tanstack/react-query.gen';
import { ApiError } from '../../api/client';
import { useSenders } from '../../api/senders';
import { useStopped } from '../../components/blocks/use-stopped';
import { showSuccess } from '../../components/notify';
import { PageHeader } from '../../components/PageHeader';
import { QueryState } from '../../components/QueryState';
import { useKeptDraft, useRestoredDraft } from '../../drafts/use-draft';
import { useTimeZone } from '../../preferences/time-zone';
import { CONFIRM_FROM } from '../send/confirm-from';
import {
  type CampaignOptions,
  entryFieldsOf,
  initialOptions,
  isComplete,
  sendFieldsOf,
} from './campaign-options';
import {
  bytesOf,
  type CampaignRow,
  fillRows,
  idempotencyKeyOf,
  isTemplate,
  MAX_REQUEST_BYTES,
  messagesOf,
  readTemplate,
  withoutBlocked,
} from './campaign-rows';
import { guessNumberColumn, readTable, type Table, UnreadableTable } from './csv-table';
import { DryRun, EstimateError, useEstimate } from './DryRun';
import { FAILED_TEMPLATE, readFailed } from './failures';
import { OptionsInput } from './OptionsInput';
import { RecipientsInput } from './RecipientsInput';
import { RefusedRows } from './RefusedRows';
import { TemplateInput } from './TemplateInput';
import type { Source } from './source';

const ConfirmSend = lazy(() => import('../send/ConfirmSend'));
const RowPreview = lazy(() => import('./RowPreview'));

/** So long after the last change the dry run begins. */
const SETTLED_MS = 600;

export default function NewCampaignPage() {
  const { t } = useTranslation();
  const { failedOf }: { failedOf?: string } = useSearch({ strict: false });
  const failed = useQuery({
    queryKey: ['campaign-failures', failedOf],
    queryFn: ({ signal }) => readFailed(failedOf ?? '', signal),
    enabled: failedOf !== undefined,
    refetchInterval: false,
    staleTime: Infinity,
  });
  return (
    <>
      <PageHeader
        title={t('campaigns.newTitle')}
        description={failedOf ? t('campaigns.againDescription') : t('campaigns.newDescription')}
      />
      {failedOf === undefined ? (
        <CampaignForm />
      ) : (
        <QueryState query={failed}>
          {(table) =>
            table.rows.length === 0 ? (
              <Text c="dimmed">{t('campaigns.nothingFailed')}</Text>
            ) : (
              <CampaignForm failed={table} salt={failedOf} />
            )
          }
        </QueryState>
      )}
    </>
  );
}

interface CampaignDraft {
  readonly source: Source | undefined;
  readonly hasHeader: boolean | undefined;
  readonly chosenColumn: number | undefined;
  readonly template: string;
  readonly options: CampaignOptions;
  readonly keepsRepeats: boolean;
  readonly salt: string;
}

interface Send {
  readonly body: SendBulkSmsRequest;
  readonly key: string;
}

/** @param props.failed the messages to send again, instead of a file. */
function CampaignForm(props: { readonly failed?: Table; readonly salt?: string }) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const [timeZone] = useTimeZone();
  const country = useDialingCountry();
  const draftName = `campaign ${props.salt ?? ''}`;
  const restored = useRestoredDraft(draftName) as CampaignDraft | undefined;
  const [source, setSource] = useState<Source | undefined>(restored?.source);
  const [hasHeader, setHasHeader] = useState<boolean | undefined>(restored?.hasHeader);
  const [chosenColumn, setColumn] = useState<number | undefined>(restored?.chosenColumn);
  const [template, setTemplate] = useState(restored?.template ?? (props.failed ? FAILED_TEMPLATE : ''));
  const [options, setOptions] = useState(() => ({ ...initialOptions(timeZone), ...restored?.options }));
  const [keepsRepeats, setKeepsRepeats] = useState(restored?.keepsRepeats ?? false);
  const [skipsRefused, setSkipsRefused] = useState(false);
  const [salt, setSalt] = useState(restored?.salt ?? props.salt ?? '');
  const [isAsking, setAsking] = useState(false);

  const text = useDeferredValue(source?.text);
  const { table, problem } = useMemo(
    () => (props.failed ? { table: props.failed } : tableOf(text, hasHeader)),
    [props.failed, text, hasHeader],
  );
  const guessed = useMemo(() => table && guessNumberColumn(table), [table]);
  const numberColumn = props.failed ? 0 : (chosenColumn ?? guessed);
  const filling = useDeferredValue(template);
  // What is sent is filled in from the deferred values, and must be what is shown.
  const isUpToDate = text === source?.text && filling === template;
  const read = useMemo(
    () => (table && filling.trim() !== '' ? readTemplate(filling, table.columns) : undefined),
    [table, filling],
  );
  const filled = useMemo(
    () =>
      table && numberColumn !== undefined && read && isTemplate(read)
        ? fillRows(table, numberColumn, read, keepsRepeats, country)
        : [],
    [table, numberColumn, read, keepsRepeats, country],
  );
  const { blocked, isChecking } = useBlocked(filled, options.purpose);
  const rows = useMemo(() => withoutBlocked(filled, blocked), [filled, blocked]);
  const accepted = useMemo(() => rows.filter(({ refusal }) => !refusal), [rows]);
  const repeated = rows.filter(({ refusal }) => refusal?.reason === 'repeated').length;
  const refusedRows = rows.filter(
    ({ refusal }) => refusal && refusal.reason !== 'repeated' && refusal.reason !== 'blocked',
  );
  const refused = refusedRows.length;

  const campaign = useMemo(() => messagesOf(accepted, entryFieldsOf(options)), [accepted, options]);
  const send: Send | undefined = useMemo(() => {
    if (campaign.messages.length === 0 || !isComplete(options)) return undefined;
    const body = {
      messages: campaign.messages,
      ...(!props.failed && { messageTemplate: filling }),
      ...sendFieldsOf(options),
    };
    return { body, key: idempotencyKeyOf(campaign.messages, salt) };
  }, [campaign, options, salt, filling, props.failed]);
  const bytes = useMemo(() => (send ? bytesOf(send.body) : 0), [send]);
  const isTooLarge = bytes > MAX_REQUEST_BYTES;

  const [settled] = useDebouncedValue(send, SETTLED_MS);
  const estimate = useEstimate(isTooLarge ? undefined : settled);
  const isCalculating = send !== undefined && !isTooLarge && (send !== settled || estimate.isPlaceholderData);

  const attempted = useRef(new Set<string>());
  const sending = useMutation({
    meta: { showsErrors: true },
    mutationFn: async ({ body, key }: Send) => {
      const isFirst = !attempted.current.has(key);
      attempted.current.add(key);
      const { data, response } = await sendBulkSms({
        body,
        headers: { 'Idempotency-Key': key },
        throwOnError: true,
      });
      const isReplayed = response.headers.get('idempotency-replayed') === 'true';
      // An attempt of this page may have been accepted although its answer was lost.
      return { sent: data.data, wasBefore: isFirst && isReplayed };
    },
    onSuccess: ({ sent, wasBefore }) => {
      if (wasBefore) return;
      finishDraft();
      showSuccess(t('campaigns.accepted', { count: sent.recipientCount }));
      void navigate({ to: '/campaigns/$id', params: { id: sent.smsBatchId } });
    },
  });
  const isAsOpened = source === undefined && template === (props.failed ? FAILED_TEMPLATE : '');
  const draft = useMemo<CampaignDraft | undefined>(
    () =>
      isAsOpened ? undefined : { source, hasHeader, chosenColumn, template, options, keepsRepeats, salt },
    [isAsOpened, source, hasHeader, chosenColumn, template, options, keepsRepeats, salt],
  );
  const finishDraft = useKeptDraft(draftName, draft);
  const confirmed = () => {
    setAsking(false);
    if (send) sending.mutate(send);
  };
  const changeSource = (changed: Source | undefined) => {
    setSource(changed);
    setHasHeader(undefined);
    setColumn(undefined);
    setSkipsRefused(false);
    sending.reset();
  };
  const sendOnceMore = () => {
    const another = `${salt}-${crypto.getRandomValues(new Uint32Array(4)).join('-')}`;
    setSalt(another);
    if (send) sending.mutate({ ...send, key: idempotencyKeyOf(campaign.messages, another) });
  };
  const missing = !table
    ? 'table'
    : filling.trim() === ''
      ? 'text'
      : accepted.length === 0
        ? 'rows'
        : refused > 0 && !skipsRefused
          ? 'refused'
          : !isComplete(options)
            ? 'time'
            : undefined;
  const wasKeyUsed = sending.error instanceof ApiError && sending.error.code === 'IDEMPOTENCY_KEY_REUSED';
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Grid gap="md" align="flex-start">
      <Grid.Col span={{ base: 12, lg: 8 }}>
        <Stack gap="md">
          {!props.failed && (
            <Card component="section">
              <Title order={2} mb="sm">
                {t('campaigns.recipientsTitle')}
              </Title>
              <RecipientsInput
                source={source}
                onSource={changeSource}
                table={table}
                problem={problem}
                onHeader={setHasHeader}
                numberColumn={numberColumn}
                onNumberColumn={setColumn}
              />
            </Card>
          )}
          <Card component="section">
            <Title order={2} mb="sm">
              {t('send.text')}
            </Title>
            <TemplateInput
              value={template}
              onChange={setTemplate}
              table={table}
              problem={read && !isTemplate(read) ? read : undefined}
            />
          </Card>
          <Card component="section">
            <Title order={2} mb="sm">
              {t('campaigns.sendingTitle')}
            </Title>
            <OptionsInput options={options} onChange={setOptions} />
          </Card>
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 4 }} style={{ position: 'sticky', top: 72 }}>
        <Card component="section">
          <Group justify="space-between" mb="sm">
            <Title order={2}>{t('campaigns.dryRun')}</Title>
            {isCalculating && <Loader size="xs" role="status" aria-label={t('send.calculating')} />}
          </Group>
          <Stack gap="sm">
            {isTooLarge ? (
              <Alert color="red" role="alert">
                {t('campaigns.tooLarge', {
                  count: Math.floor((accepted.length * MAX_REQUEST_BYTES) / bytes),
                })}
              </Alert>
            ) : (
              <DryRun
                estimate={send && estimate.data}
                estimatedAt={estimate.dataUpdatedAt}
                error={send && estimate.error}
                lines={campaign.lines}
                scheduledAt={campaign.messages[0]?.scheduledAt}
                zone={options.isLater ? options.zone : undefined}
                isEmpty={!send}
              />
            )}
            {refused > 0 && (
              <Checkbox
                label={t('campaigns.skipRefused', { count: refused, number: number.format(refused) })}
                description={<RefusedRows rows={refusedRows} />}
                checked={skipsRefused}
                onChange={(event) => setSkipsRefused(event.currentTarget.checked)}
              />
            )}
            {blocked.size > 0 && (
              <Text size="sm" role="status">
                {t('campaigns.blocked', { count: blocked.size, number: number.format(blocked.size) })}
              </Text>
            )}
            {(repeated > 0 || keepsRepeats) && (
              <Switch
                label={t('campaigns.keepRepeats')}
                description={
                  repeated > 0 &&
                  t('campaigns.repeated', { count: repeated, number: number.format(repeated) })
                }
                checked={keepsRepeats}
                onChange={(event) => setKeepsRepeats(event.currentTarget.checked)}
              />
            )}
            {missing && (
              <Text size="sm" c="dimmed">
                {t(`campaigns.missing.${missing}`)}
              </Text>
            )}
            {(sending.data?.wasBefore === true || wasKeyUsed) && (
              <Alert color="yellow" title={t('campaigns.sentBefore')} role="alert">
                <Stack gap="xs" align="flex-start">
                  <Text size="sm">
                    {t(wasKeyUsed ? 'campaigns.sentBeforeOtherwise' : 'campaigns.sentBeforeText')}
                  </Text>
                  <Group gap="sm">
                    {sending.data && (
                      <Anchor
                        size="sm"
                        renderRoot={(root) => (
                          <Link to="/campaigns/$id" params={{ id: sending.data.sent.smsBatchId }} {...root} />
                        )}
                      >
                        {t('campaigns.openIt')}
                      </Anchor>
                    )}
                    <Button size="xs" variant="default" onClick={sendOnceMore}>
                      {t('campaigns.sendOnceMore')}
                    </Button>
                  </Group>
                </Stack>
              </Alert>
            )}
            {sending.error && !wasKeyUsed && (
              <>
                <EstimateError error={sending.error} lines={campaign.lines} />
                <Text size="sm" c="dimmed">
                  {t('campaigns.safeToRepeat')}
                </Text>
              </>
            )}
            <Button
              size="md"
              disabled={
                !send ||
                !isUpToDate ||
                isChecking ||
                missing !== undefined ||
                isTooLarge ||
                estimate.error !== null
              }
              loading={sending.isPending}
              onClick={() => (accepted.length >= CONFIRM_FROM ? setAsking(true) : confirmed())}
            >
              {t(options.isLater ? 'send.schedule' : 'send.submit', { count: accepted.length })}
            </Button>
            {isAsking && (
              <Suspense>
                <ConfirmSend
                  count={accepted.length}
                  submit={t(options.isLater ? 'send.schedule' : 'send.submit', { count: accepted.length })}
                  onConfirm={confirmed}
                  onClose={() => setAsking(false)}
                />
              </Suspense>
            )}
          </Stack>
        </Card>
      </Grid.Col>
      {rows.length > 0 && (
        <Grid.Col span={12}>
          <Suspense>
            <RowPreview rows={rows} />
          </Suspense>
        </Grid.Col>
      )}
    </Grid>
  );
}

/** The places of blocked people among the rows that are not refused. */
function useBlocked(rows: readonly CampaignRow[], purpose: CampaignOptions['purpose']) {
  const numbers = useMemo(
    () => rows.flatMap(({ number, refusal }) => (refusal ? [] : (readPhoneNumber(number).number ?? []))),
    [rows],
  );
  const key = useMemo(() => idempotencyKeyOf([{ message: '', recipients: numbers }], ''), [numbers]);
  const { stopped, isPending } = useStopped(numbers, purpose === null ? {} : { purpose }, key);
  // Of other rows while it is asked.
  const blocked = useMemo(() => new Set(isPending ? [] : stopped?.blocked), [isPending, stopped]);
  return { blocked, isChecking: isPending };
}

/** The country of the account, else that of its SIMs if they have the same. */
function useDialingCountry(): Country | undefined {
  const { defaultCountry } = useSuspenseQuery(whoAmIOptions()).data.data;
  const { devices } = useSenders();
  const ofSims = new Set(
    devices.flatMap(({ simInfo }) => simInfo?.sims ?? []).map(({ countryIso }) => parseCountry(countryIso)),
  );
  return parseCountry(defaultCountry) ?? (ofSims.size === 1 ? [...ofSims][0] : undefined);
}

function tableOf(
  text: string | undefined,
  hasHeader: boolean | undefined,
): { table?: Table; problem?: UnreadableTable } {
  if (text === undefined) return {};
  try {
    return { table: readTable(text, hasHeader) };
  } catch (error) {
    if (error instanceof UnreadableTable) return { problem: error };
    throw error;
  }
}
