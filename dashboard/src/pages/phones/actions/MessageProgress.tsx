import { Alert, Anchor, Group, Stack, Text, Timeline } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listMessagesOptions } from '../../../../generated/@tanstack/react-query.gen';
import { failureRemedy, failureText } from '../../../components/failure-text';
import { MessageStatusBadge } from '../../../components/MessageStatusBadge';
import { LoadingSkeleton } from '../../../components/QueryState';
import { Time } from '../../../components/Time';

/** Besides the hints of the event stream, which may be away. */
const POLL_MS = 2_000;

const SETTLED = ['delivered', 'failed'];

/** The way of the only message of a batch, live. */
export function MessageProgress({ batch }: { readonly batch: string }) {
  const { t } = useTranslation();
  const messages = useQuery({
    ...listMessagesOptions({ query: { smsBatchId: batch, limit: 1 } }),
    refetchInterval: ({ state }) => {
      const status = state.data?.data[0]?.status;
      return status && SETTLED.includes(status) ? false : POLL_MS;
    },
  });
  const message = messages.data?.data[0];
  if (!message) return <LoadingSkeleton lines={4} />;
  const steps = [
    { title: t('phones.test.accepted'), at: message.requestedAt ?? message.createdAt },
    { title: t('common.status.dispatched'), at: message.pushReceivedAt ?? message.dispatchedAt },
    { title: t('common.status.sent'), at: message.sentAt },
    message.failedAt
      ? { title: t('common.status.failed'), at: message.failedAt, color: 'red' }
      : { title: t('common.status.delivered'), at: message.deliveredAt },
  ];
  const reached = steps.findLastIndex(({ at }) => at !== undefined);
  const { waitingFor } = message;
  return (
    <Stack>
      <Group justify="space-between" role="status" aria-label={t('phones.test.status')}>
        <Text className="outside-text" fw={600}>
          {message.recipient}
        </Text>
        <MessageStatusBadge status={message.status ?? 'unknown'} />
      </Group>
      {waitingFor && (
        <Text size="sm">
          {t(`waits.${waitingFor.reason}`)}
          {waitingFor.until && (
            <>
              {' · '}
              <Time value={waitingFor.until} />
            </>
          )}
        </Text>
      )}
      <Timeline active={reached} bulletSize={16} lineWidth={2}>
        {steps.map(({ title, at, color }) => (
          <Timeline.Item key={title} title={title} {...(color && { color })}>
            <Text size="xs" c="dimmed">
              <Time value={at} />
            </Text>
          </Timeline.Item>
        ))}
      </Timeline>
      {message.status === 'failed' && (
        <Alert color="red">
          <span className="outside-text">
            {failureText(t, message)} {!message.laterReports && failureRemedy(t, message.errorCode)}
          </span>
        </Alert>
      )}
      <Anchor
        size="sm"
        renderRoot={(root) => <Link to="/messages/$id" params={{ id: message._id }} {...root} />}
      >
        {t('phones.test.open')}
      </Anchor>
    </Stack>
  );
}
