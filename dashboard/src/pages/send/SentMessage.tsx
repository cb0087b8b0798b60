import { Anchor, Card, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { MessageResponse } from '../../../generated';
import { explainMessageOptions } from '../../../generated/@tanstack/react-query.gen';
import { shownStatusOf } from '../../components/message-status';
import { sendAgainSearch } from '../../api/send-again';
import type { Senders } from '../../api/senders';
import { failureRemedy, failureText } from '../../components/failure-text';
import { messagePhone } from '../../components/message-phone';
import { MessageStatusBadge } from '../../components/MessageStatusBadge';
import { localeOf, useTimeFormat } from '../../components/Time';
import { type ExplainedStep, useStepText } from '../../components/use-step-text';
import { clockAt } from '../../preferences/zoned-time';

/** Steps of an explanation that say what keeps a message. */
const TROUBLE = new Set([
  'phone_offline',
  'phone_unresponsive',
  'phone_disabled',
  'phone_deleted',
  'sim_unhealthy',
  'push_retry',
]);

/** Steps that say what is the case now, and nothing is wrong. */
const CURRENT = new Set([
  'phone_draining',
  'waiting',
  'due',
  'handing_over',
  'moving',
  'cancel_requested',
  'acknowledgement_missing',
  'report_missing',
  'delivery_not_confirmed',
]);

/** A number of a send: its state, when it reached each state, and what it waits for or why it failed. */
export function SentMessage(props: {
  readonly message: MessageResponse;
  readonly senders: Senders;
  /** Whether the service is asked what it waits for. */
  readonly isExplained: boolean;
}) {
  const { t } = useTranslation();
  const { message, senders, isExplained } = props;
  const status = shownStatusOf(message);
  const phone = messagePhone(t, message.device);
  const sim = senders.findSim({
    device: message.device._id,
    sim: message.sim,
    simSubscriptionId: message.simSubscriptionId,
  });
  return (
    <Card component="li" padding="sm">
      <Group justify="space-between" gap="xs" align="flex-start">
        <Group gap="xs">
          <Anchor
            renderRoot={(root) => <Link to="/messages/$id" params={{ id: message._id }} {...root} />}
            fw={600}
            className="outside-text numeric"
          >
            {message.recipient}
          </Anchor>
          <Text size="sm" c="dimmed" className="outside-text">
            {t('send.viaPhone', {
              phone: sim ? t('send.simOf', { sim: senders.simName(sim), phone }) : phone,
            })}
          </Text>
        </Group>
        <MessageStatusBadge status={status} />
      </Group>
      <Times message={message} />
      {status === 'failed' && (
        <Group gap="sm" mt={4}>
          <Text size="sm" c="red" className="outside-text">
            {failureText(t, message)} {!message.laterReports && failureRemedy(t, message.errorCode)}
          </Text>
          <Anchor
            renderRoot={(root) => (
              <Link to="/send" search={sendAgainSearch(message, senders.devices)} {...root} />
            )}
            size="sm"
          >
            {t('send.sendAgain')}
          </Anchor>
        </Group>
      )}
      {isExplained ? <Explanation id={message._id} /> : <Wait message={message} />}
    </Card>
  );
}

const TIMES = [
  ['requested', 'requestedAt'],
  ['dispatched', 'dispatchedAt'],
  ['sent', 'sentAt'],
  ['delivered', 'deliveredAt'],
  ['failed', 'failedAt'],
] as const;

function Times({ message }: { readonly message: MessageResponse }) {
  const { t, i18n } = useTranslation();
  const { timeZone } = useTimeFormat();
  const format = (time: Date, dateStyle?: 'medium') =>
    new Intl.DateTimeFormat(localeOf(i18n.language), { timeZone, timeStyle: 'medium', dateStyle }).format(
      time,
    );
  const shown = shownStatusOf(message);
  const ended = shown === 'cancelled' || shown === 'suppressed' ? shown : 'failed';
  const reached = TIMES.flatMap(([name, field]) => {
    const time = message[field];
    return time ? [{ name, time: new Date(time), day: clockAt(new Date(time), timeZone).slice(0, 10) }] : [];
  });
  const texts = reached.map(
    ({ name, time, day }, index) =>
      `${t(`send.times.${name === 'failed' ? ended : name}`)} ${format(time, reached[index - 1]?.day === day ? undefined : 'medium')}`,
  );
  return (
    <Text size="sm" c="dimmed" className="numeric">
      {texts.join(' → ')}
    </Text>
  );
}

function Explanation({ id }: { readonly id: string }) {
  const steps = useQuery(explainMessageOptions({ path: { id } })).data?.data.steps ?? [];
  const trouble = steps.filter(({ code }) => TROUBLE.has(code));
  const current = steps.filter(({ code }) => CURRENT.has(code));
  return (
    <div role="status">
      {trouble.length > 0 && (
        <Text size="sm" fw={600} className="outside-text">
          <IconAlertTriangle
            size={16}
            color="var(--mantine-color-orange-6)"
            style={{ verticalAlign: 'text-bottom' }}
            aria-hidden
          />{' '}
          <Sentences steps={trouble} />
        </Text>
      )}
      {current.length > 0 && (
        <Text size="sm" className="outside-text">
          <Sentences steps={current} />
        </Text>
      )}
    </div>
  );
}

function Sentences({ steps }: { readonly steps: readonly ExplainedStep[] }) {
  const textOf = useStepText();
  return steps.map((step) => {
    const { text, lang } = textOf(step);
    return (
      <span key={step.code} lang={lang}>
        {text}{' '}
      </span>
    );
  });
}

function Wait({ message: { waitingFor } }: { readonly message: MessageResponse }) {
  const { t } = useTranslation();
  const { short } = useTimeFormat();
  if (!waitingFor) return null;
  const why = t(`waits.${waitingFor.reason}`);
  return (
    <Text size="sm">
      {waitingFor.until ? t('send.waitsUntil', { why, until: short(waitingFor.until) }) : why}
    </Text>
  );
}
