import {
  Anchor,
  Badge,
  Button,
  Collapse,
  Group,
  Stack,
  Text,
  ThemeIcon,
  Timeline,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconAlertTriangle,
  IconArrowDownLeft,
  IconBan,
  IconCheck,
  IconChecks,
  IconClock,
  IconDeviceMobile,
  IconInfoCircle,
  IconPlayerPlay,
  IconRefresh,
  IconSend,
  IconWebhook,
  IconX,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import {
  explainMessageOptions,
  getWebhookNotificationOptions,
  getWebhookNotificationQueryKey,
  redeliverWebhookNotificationMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { showSuccess } from '../../components/notify';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { type ExplainedStep, useStepText } from '../../components/use-step-text';
import { isCurrent, isFinalFailure, kindOf, needSeconds, STEP_KINDS, type StepKind } from './steps';

const ICONS: Record<StepKind, typeof IconCheck> = {
  accepted: IconPlayerPlay,
  waiting: IconClock,
  sim: IconDeviceMobile,
  attempt: IconRefresh,
  phone: IconDeviceMobile,
  sent: IconSend,
  delivered: IconChecks,
  received: IconArrowDownLeft,
  failed: IconX,
  cancelled: IconBan,
  suppressed: IconBan,
  unclear: IconAlertTriangle,
  webhook: IconWebhook,
  webhookLate: IconWebhook,
  webhookFailed: IconWebhook,
  note: IconInfoCircle,
};

/** The way of a message, from its acceptance to its webhooks. What failed for good stands out. */
export function MessageTimeline({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const explanation = useQuery(explainMessageOptions({ path: { id } }));
  return (
    <section aria-labelledby="way">
      <Title order={2} id="way" mb="md">
        {t('messages.way')}
      </Title>
      <QueryState query={explanation} lines={6}>
        {({ data: { steps } }) => (
          <Timeline bulletSize={28} lineWidth={2}>
            {withSeconds(steps).map(([step, hasSeconds], index) => (
              <StepItem key={`${index} ${step.code}`} step={step} hasSeconds={hasSeconds} />
            ))}
          </Timeline>
        )}
      </QueryState>
    </section>
  );
}

const withSeconds = (steps: readonly ExplainedStep[]) => {
  const seconds = needSeconds(steps);
  return steps.map((step, index) => [step, seconds[index] ?? false] as const);
};

function StepItem(props: { readonly step: ExplainedStep; readonly hasSeconds: boolean }) {
  const { step, hasSeconds, ...place } = props;
  const { t } = useTranslation();
  const { text, lang } = useStepText()(step);
  const kind = kindOf(step);
  const Icon = ICONS[kind];
  const isLoud = isFinalFailure(step);
  return (
    <Timeline.Item
      {...place}
      bullet={
        <ThemeIcon
          size={28}
          radius="xl"
          variant={isLoud ? 'filled' : 'light'}
          color={STEP_KINDS[kind]}
          data-loud={isLoud || undefined}
        >
          <Icon size={16} aria-hidden />
        </ThemeIcon>
      }
      lineVariant={isCurrent(step) ? 'dashed' : 'solid'}
      title={
        <Text inherit fw={isLoud ? 700 : 500} c={isLoud ? 'red' : undefined}>
          {t(`messages.steps.${kind}`)}
        </Text>
      }
    >
      <Text size="sm" className="outside-text" lang={lang}>
        {text}
      </Text>
      <Text size="xs" c="dimmed" mt={2} component="div">
        {isCurrent(step) ? t('messages.currently') : <Time value={step.at} withSeconds={hasSeconds} />}
      </Text>
      {step.deliveryId && <Delivery id={step.deliveryId} />}
    </Timeline.Item>
  );
}

function Delivery({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const [isOpen, { toggle }] = useDisclosure();
  return (
    <>
      <Button size="compact-xs" variant="subtle" onClick={toggle} aria-expanded={isOpen} mt={2} ml={-6}>
        {t(isOpen ? 'messages.hideAttempts' : 'messages.showAttempts')}
      </Button>
      <Collapse expanded={isOpen}>{isOpen && <Attempts id={id} />}</Collapse>
    </>
  );
}

function Attempts({ id }: { readonly id: string }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const options = { path: { id } };
  const delivery = useQuery(getWebhookNotificationOptions(options));
  const redeliver = useMutation({
    ...redeliverWebhookNotificationMutation(),
    onSuccess: () => {
      showSuccess(t('messages.redelivering'));
      return queries.invalidateQueries({ queryKey: getWebhookNotificationQueryKey(options) });
    },
  });
  const milliseconds = new Intl.NumberFormat(i18n.language, { style: 'unit', unit: 'millisecond' });
  return (
    <QueryState query={delivery} lines={2}>
      {({ data }) => (
        <Stack gap={6} mt={4}>
          {data.attempts.length === 0 && (
            <Text size="xs" c="dimmed">
              {t('messages.noAttempts')}
            </Text>
          )}
          {data.attempts.map(({ at, durationMs, httpStatusCode, error }, index) => (
            <Group key={index} gap="xs">
              <Badge variant="light" color={error ? 'red' : 'teal'} tt="none">
                {httpStatusCode ?? t('messages.noAnswer')}
              </Badge>
              <Text size="xs" component="div">
                <Time value={at} /> · <span className="numeric">{milliseconds.format(durationMs)}</span>
              </Text>
              {error && (
                <Text size="xs" c="dimmed" className="outside-text" lang="en">
                  {error}
                </Text>
              )}
            </Group>
          ))}
          <Group gap="md">
            <Anchor component={Link} to={`/webhooks/${data.webhookSubscription}`} size="xs">
              {t('messages.toWebhook')}
            </Anchor>
            <Button
              size="compact-xs"
              variant="default"
              loading={redeliver.isPending}
              onClick={() => redeliver.mutate(options)}
            >
              {t('messages.redeliver')}
            </Button>
          </Group>
        </Stack>
      )}
    </QueryState>
  );
}
