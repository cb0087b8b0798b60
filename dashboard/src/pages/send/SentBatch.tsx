import { Anchor, Button, Card, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { BatchSummaryResponse, MessageResponse } from '../../../generated';
import {
  cancelAccountBatchMutation,
  getAccountBatchOptions,
  listMessagesOptions,
} from '../../../generated/@tanstack/react-query.gen';
import { WITH_DELETED_DEVICES } from '../../api/deleted-devices';
import type { Senders } from '../../api/senders';
import { titleOf } from '../../components/batch-title';
import { countsOf, STATES } from '../../components/batch-counts';
import { MESSAGE_COLORS, MessageStatusBadge } from '../../components/MessageStatusBadge';
import { QueryState } from '../../components/QueryState';
import { showSuccess } from '../../components/notify';
import { useTimeFormat } from '../../components/Time';
import { ConfirmCancel } from './ConfirmCancel';
import { headlineOf } from './headline';
import { SentMessage } from './SentMessage';

const SHOWN_MESSAGES = 100;

/** Each is a call. */
const EXPLAINED_MESSAGES = 5;

/** What becomes of a send, number by number. */
export function SentBatch({ batch: id, senders }: { readonly batch: string; readonly senders: Senders }) {
  const batch = useQuery(getAccountBatchOptions({ path: { id } }));
  const messages = useQuery(
    listMessagesOptions({
      query: { smsBatchId: id, limit: SHOWN_MESSAGES, order: 'asc', ...WITH_DELETED_DEVICES },
    }),
  );
  return (
    <QueryState query={batch}>
      {({ data: summary }) => (
        <Stack gap="md">
          <Summary batch={summary} readAt={batch.dataUpdatedAt} />
          <QueryState query={messages}>
            {({ data, meta }) => <Lines messages={data} total={meta.total ?? 0} id={id} senders={senders} />}
          </QueryState>
        </Stack>
      )}
    </QueryState>
  );
}

function Summary({ batch, readAt }: { readonly batch: BatchSummaryResponse; readonly readAt: number }) {
  const { t } = useTranslation();
  const { short, timeZone } = useTimeFormat();
  const cancel = useMutation({
    ...cancelAccountBatchMutation(),
    onSuccess: ({ data }) => showSuccess(t('send.cancelledCount', { count: data.cancelledCount })),
  });
  const [isAsking, setAsking] = useState(false);
  const cancelRest = () => {
    setAsking(false);
    cancel.mutate({ path: { id: batch._id } });
  };
  const { states, recipientCount, scheduledAt, expectedCompletionAt } = batch;
  const { key, part, count } = headlineOf(batch);
  const counts = countsOf(batch);
  const counted = STATES.filter((state) => counts[state] > 0);
  return (
    <Card>
      <Stack gap="sm">
        <Group justify="space-between" align="flex-start">
          <div>
            <Title order={2}>{t(key, { part, count })}</Title>
            {states.pending > 0 && (scheduledAt ?? expectedCompletionAt) && (
              <Text size="sm" c="dimmed">
                {scheduledAt && Date.parse(scheduledAt) > readAt
                  ? t('send.dueAt', { time: short(scheduledAt), zone: timeZone })
                  : expectedCompletionAt && t('send.expectedEnd', { time: short(expectedCompletionAt) })}
              </Text>
            )}
          </div>
          <Group gap="xs">
            {states.pending > 0 && (
              <Button
                variant="default"
                loading={cancel.isPending}
                onClick={() => (states.pending > 1 ? setAsking(true) : cancelRest())}
              >
                {t('send.cancelRest')}
              </Button>
            )}
            {isAsking && (
              <ConfirmCancel count={states.pending} onConfirm={cancelRest} onClose={() => setAsking(false)} />
            )}
            <Button renderRoot={(root) => <Link to="/send" {...root} />} leftSection={<IconPlus size={16} />}>
              {t('send.sendAnother')}
            </Button>
          </Group>
        </Group>
        <Text className="outside-text" lineClamp={3} c="dimmed" size="sm">
          {titleOf(batch, t)}
        </Text>
        <Progress.Root size="md" aria-label={t('send.progress')}>
          {counted.map((state) => (
            <Progress.Section
              key={state}
              value={(100 * counts[state]) / Math.max(recipientCount, 1)}
              color={MESSAGE_COLORS[state]}
              aria-label={t(`common.status.${state}`)}
            />
          ))}
        </Progress.Root>
        <Group gap="md" role="status">
          {counted.map((state) => (
            <Group key={state} gap={6}>
              <MessageStatusBadge status={state} />
              <Text size="sm" className="numeric">
                {counts[state]}
              </Text>
            </Group>
          ))}
        </Group>
      </Stack>
    </Card>
  );
}

function Lines(props: {
  readonly messages: readonly MessageResponse[];
  readonly total: number;
  readonly id: string;
  readonly senders: Senders;
}) {
  const { t } = useTranslation();
  const { messages, total, id, senders } = props;
  const open = messages.filter(({ status }) => status !== 'delivered' && status !== 'failed');
  const explained = new Set(open.slice(0, EXPLAINED_MESSAGES).map(({ _id }) => _id));
  return (
    <Stack gap="xs">
      <Stack component="ul" gap="xs" p={0} m={0} style={{ listStyle: 'none' }}>
        {messages.map((message) => (
          <SentMessage
            key={message._id}
            message={message}
            senders={senders}
            isExplained={explained.has(message._id)}
          />
        ))}
      </Stack>
      {total > messages.length && (
        <Group gap="sm">
          <Text size="sm" c="dimmed">
            {t('send.ofMany', { shown: messages.length, count: total })}
          </Text>
          <Anchor
            renderRoot={(props) => <Link to="/messages" search={{ smsBatchId: id }} {...props} />}
            size="sm"
          >
            {t('send.allMessages')}
          </Anchor>
        </Group>
      )}
    </Stack>
  );
}
