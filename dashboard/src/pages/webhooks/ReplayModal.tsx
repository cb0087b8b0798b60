import { Alert, Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { listWebhookNotificationsOptions } from '../../../generated/@tanstack/react-query.gen';
import { replayWebhook } from '../../../generated/sdk.gen';
import { useReadAgain } from '../../api/read-again';
import { errorText, showSuccess } from '../../components/notify';
import { useTimeZone } from '../../preferences/time-zone';
import { filterQuery } from './delivery-filters';
import type { Webhook } from './webhook';

const STATES = ['failed', 'retrying', 'delivered'] as const;
type State = (typeof STATES)[number];

const HOUR_MS = 3_600_000;
const SPANS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS, days: 0 } as const;
type Span = keyof typeof SPANS;
const SPAN_NAMES = Object.keys(SPANS) as Span[];

interface Range {
  readonly start: string;
  /** Inclusive. */
  readonly end: string;
}

/** Sends the deliveries of a time again, after it has said how many these are. */
export function ReplayModal({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const { t } = useTranslation();
  const refresh = useReadAgain('webhook', 'delivery');
  const [status, setStatus] = useState<State>('failed');
  const { range, chooser } = useRange();
  const query = { webhookSubscriptionId: webhook._id, status, limit: 1, ...range };
  const found = useQuery({ ...listWebhookNotificationsOptions({ query }), enabled: range !== undefined });
  const count = range && found.data?.data.meta.total;
  const replay = useMutation({
    mutationFn: (of: Range) => replayAll(webhook._id, status, of),
    meta: { showsErrors: true },
    onSuccess: async (scheduled) => {
      showSuccess(t('webhooks.replaying.done', { count: scheduled }));
      await refresh();
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title={t('webhooks.replaying.title')}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (range) replay.mutate(range);
        }}
      >
        <Stack>
          <Text size="sm">{t('webhooks.replaying.text')}</Text>
          <Radio.Group
            label={t('webhooks.replaying.which')}
            value={status}
            onChange={(value) => setStatus(STATES.find((each) => each === value) ?? 'failed')}
          >
            <Group mt="xs">
              {STATES.map((value) => (
                <Radio key={value} value={value} label={t(`webhooks.replaying.${value}`)} />
              ))}
            </Group>
          </Radio.Group>
          {chooser}
          <Text role="status" fw={600} className="numeric">
            {countText(t, count)}
          </Text>
          <Text size="xs" c="dimmed">
            {t('webhooks.replaying.missed')}
          </Text>
          {replay.error !== null && (
            <Alert color="red" role="alert" className="outside-text">
              {errorText(replay.error)}
            </Alert>
          )}
          {!webhook.isActive && <Alert color="yellow">{t('webhooks.replaying.paused')}</Alert>}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={replay.isPending} disabled={!webhook.isActive || !count}>
              {t('webhooks.replaying.submit')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function countText(t: TFunction, count: number | undefined): string {
  if (count === undefined) return t('webhooks.replaying.counting');
  return count === 0 ? t('webhooks.replaying.foundNone') : t('webhooks.replaying.found', { count });
}

/** A span that ends now, or days of the chosen time zone. */
function useRange() {
  const { t } = useTranslation();
  const [timeZone] = useTimeZone();
  const [opened] = useState(Date.now);
  const [span, setSpan] = useState<Span>('day');
  const [days, setDays] = useState({ from: '', to: '' });
  const chosen = filterQuery({ from: days.from || undefined, to: days.to || undefined }, timeZone);
  const recent = {
    start: new Date(opened - SPANS[span]).toISOString(),
    end: new Date(opened).toISOString(),
  };
  const ofDays = chosen.start && chosen.end ? { start: chosen.start, end: chosen.end } : undefined;
  const range: Range | undefined = span === 'days' ? ofDays : recent;
  const chooser = (
    <>
      <Radio.Group
        label={t('webhooks.replaying.span')}
        value={span}
        onChange={(value) => setSpan(SPAN_NAMES.find((each) => each === value) ?? 'day')}
      >
        <Stack gap="xs" mt="xs">
          {SPAN_NAMES.map((value) => (
            <Radio key={value} value={value} label={t(`webhooks.replaying.${value}`)} />
          ))}
        </Stack>
      </Radio.Group>
      {span === 'days' && (
        <Group gap="xs">
          {(['from', 'to'] as const).map((name) => (
            <TextInput
              key={name}
              type="date"
              label={t(`webhooks.deliveries.${name}`)}
              description={timeZone}
              value={days[name]}
              onChange={({ currentTarget: { value } }) => setDays((before) => ({ ...before, [name]: value }))}
            />
          ))}
        </Group>
      )}
    </>
  );
  return { range, chooser };
}

/** One call replays a part. @returns how many deliveries are due. @throws ApiError */
async function replayAll(webhookId: string, status: State, { start, end }: Range): Promise<number> {
  const to = new Date(Date.parse(end) + 1).toISOString();
  let scheduled = 0;
  let cursor: string | undefined;
  do {
    const body = { from: start, to, status, ...(cursor && { cursor }) };
    const { data } = await replayWebhook({ path: { webhookId }, body, throwOnError: true });
    scheduled += data.data.scheduledCount;
    cursor = data.data.nextCursor ?? undefined;
  } while (cursor);
  return scheduled;
}
