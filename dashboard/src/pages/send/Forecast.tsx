import { Card, Divider, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { EstimateResponse } from '../../../generated';
import { getCurrentSubscriptionOptions } from '../../../generated/@tanstack/react-query.gen';
import { endOfEstimate } from '../../api/estimate';
import type { Senders } from '../../api/senders';
import { useTimeFormat } from '../../components/Time';

const WARNING_ICON = {
  color: 'var(--mantine-color-orange-6)',
  style: { verticalAlign: 'text-bottom' },
  'aria-hidden': true,
} as const;

/** What will happen to a send before it is sent, and what the plan has left. */
export function Forecast(props: {
  readonly estimate: EstimateResponse | undefined;
  /** In milliseconds since 1970. */
  readonly estimatedAt: number;
  readonly isCalculating: boolean;
  readonly isRefused: boolean;
  readonly scheduledAt: string | undefined;
  readonly senders: Senders;
}) {
  const { t } = useTranslation();
  const { estimate, isCalculating, isRefused } = props;
  return (
    <Card>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{t('send.forecast')}</Title>
        {isCalculating && <Loader size="xs" role="status" aria-label={t('send.calculating')} />}
      </Group>
      <Stack gap="sm">
        {estimate && !isRefused ? (
          <Estimate {...props} estimate={estimate} />
        ) : (
          <Text size="sm" c="dimmed">
            {isRefused ? t('send.forecastBad') : t('send.forecastEmpty')}
          </Text>
        )}
        <PlanUse />
      </Stack>
    </Card>
  );
}

function Estimate({
  estimate,
  estimatedAt,
  scheduledAt,
  senders,
}: {
  readonly estimate: EstimateResponse;
  readonly estimatedAt: number;
  readonly scheduledAt: string | undefined;
  readonly senders: Senders;
}) {
  const { t } = useTranslation();
  const { short } = useTimeFormat();
  const { messages, parts, encoding, sims, heldBack } = estimate;
  const end = endOfEstimate(estimate, estimatedAt, scheduledAt);
  return (
    <>
      <div>
        <Text fz={28} fw={650} lh={1.2} className="numeric">
          {t('send.messages', { count: messages })}
        </Text>
        <Text size="sm" c="dimmed" className="numeric">
          {t('send.partsInAll', { count: parts })} · {encoding ?? t('send.mixedEncoding')}
        </Text>
      </div>
      <Fact name={t('send.firstLeaves')}>{scheduledAt ? short(scheduledAt) : t('send.atOnce')}</Fact>
      {(messages > 1 || end !== undefined) && (
        <Fact name={t('send.lastLeaves')}>
          {end === undefined ? t('send.atOnce') : t('send.within', { time: short(new Date(end)) })}
        </Fact>
      )}
      {heldBack.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            <IconAlertTriangle size={16} {...WARNING_ICON} /> {t('send.heldBack')}
          </Text>
          {heldBack.map(({ reason, count, until }) => (
            <Fact key={reason} name={t(`send.waits.${reason}`)}>
              {t('send.messages', { count })},{' '}
              {until ? t('send.heldBackUntil', { until: short(until) }) : t('send.heldBackOpen')}
            </Fact>
          ))}
        </div>
      )}
      {sims.length > 1 && (
        <div>
          <Text size="sm" fw={600}>
            {t('send.bySim')}
          </Text>
          {sims.map(({ sim: id, messages: count, until }) => {
            const sim = senders.findSim({ sim: id });
            const phone = senders.phoneName(sim?.device);
            const name = sim ? senders.simName(sim) : id;
            return (
              <Fact key={id} name={phone ? t('send.simOf', { sim: name, phone }) : name}>
                {t('send.simShare', { count, until: short(until) })}
              </Fact>
            );
          })}
        </div>
      )}
    </>
  );
}

function PlanUse() {
  const { t, i18n } = useTranslation();
  const { data } = useQuery(getCurrentSubscriptionOptions());
  if (!data) return null;
  const number = new Intl.NumberFormat(i18n.language);
  const { dailyLimit, dailyRemaining, monthlyLimit, monthlyRemaining } = data.usage;
  const lines = [
    dailyLimit >= 0 &&
      t('send.leftToday', { left: number.format(dailyRemaining), limit: number.format(dailyLimit) }),
    monthlyLimit >= 0 &&
      t('send.leftThisMonth', { left: number.format(monthlyRemaining), limit: number.format(monthlyLimit) }),
  ].filter((line) => line !== false);
  return (
    <>
      <Divider />
      <Fact name={t('send.plan', { name: data.plan.displayName })}>
        {(lines.length > 0 ? lines : [t('send.unlimited')]).map((line) => (
          <div key={line}>{line}</div>
        ))}
      </Fact>
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Group justify="space-between" align="flex-start" gap="md" wrap="nowrap">
      <Text size="sm" c="dimmed" className="outside-text">
        {name}
      </Text>
      <Text size="sm" ta="right" component="div" className="numeric">
        {children}
      </Text>
    </Group>
  );
}
