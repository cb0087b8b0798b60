import { Card, Divider, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconHourglass } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { EstimateResponse } from '../../../generated';
import { endOfEstimate, startOfEstimate, waitsOpenEnded } from '../../api/estimate';
import type { Senders } from '../../api/senders';
import { useTimeFormat } from '../../components/Time';
import { shortPartsNote } from '../../components/part-size';
import { isAsSet } from '../../components/wait-reasons';
import { usePlanLeft } from './use-plan-left';

const ICON = { size: 16, style: { verticalAlign: 'text-bottom' }, 'aria-hidden': true } as const;

/** What will happen to a send before it is sent, and what the plan has left. */
export function Forecast(props: {
  readonly estimate: EstimateResponse | undefined;
  /** In milliseconds since 1970. */
  readonly estimatedAt: number;
  readonly isCalculating: boolean;
  readonly isRefused: boolean;
  readonly scheduledAt: string | undefined;
  /** That the time was chosen in; undefined if it is sent now. */
  readonly zone: string | undefined;
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
  zone,
  senders,
}: {
  readonly estimate: EstimateResponse;
  readonly estimatedAt: number;
  readonly scheduledAt: string | undefined;
  readonly zone: string | undefined;
  readonly senders: Senders;
}) {
  const { t } = useTranslation();
  const { short, timeZone } = useTimeFormat(zone);
  const { messages, segments, encoding, suppressed, sims, heldBack } = estimate;
  const leaving = messages - suppressed;
  const parts = segments === undefined ? estimate.parts : segments * leaving;
  const end = endOfEstimate(estimate, estimatedAt, scheduledAt);
  const start = scheduledAt ?? startOfEstimate(estimate, estimatedAt);
  const isHeldBack = !scheduledAt && waitsOpenEnded(estimate);
  return (
    <>
      <div>
        <Text fz={28} fw={650} lh={1.2} className="numeric">
          {t('send.messages', { count: leaving })}
        </Text>
        <Text size="sm" c="dimmed" className="numeric">
          {t('send.partsInAll', { count: parts })}
          {shortPartsNote(t, encoding)}
        </Text>
        {suppressed > 0 && (
          <Text size="sm" fw={500} role="status">
            {t('send.suppressed', { count: suppressed })}
          </Text>
        )}
      </div>
      {!isHeldBack && start !== 'unknown' && (
        <Fact name={t('send.firstLeaves')}>
          {start === undefined ? t('send.atOnce') : short(new Date(start))}
        </Fact>
      )}
      {!isHeldBack && (messages > 1 || (end !== undefined && start === undefined)) && (
        <Fact name={t('send.lastLeaves')}>
          {end === undefined ? t('send.atOnce') : t('send.within', { time: short(new Date(end)) })}
        </Fact>
      )}
      {zone && (
        <Text size="xs" c="dimmed">
          {t('send.timesIn', { zone: timeZone })}
        </Text>
      )}
      {heldBack.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            {heldBack.every(({ reason }) => isAsSet(reason)) ? (
              <IconHourglass {...ICON} />
            ) : (
              <IconAlertTriangle {...ICON} color="var(--mantine-color-orange-6)" />
            )}{' '}
            {t('send.heldBack')}
          </Text>
          {heldBack.map(({ reason, count, until }) => (
            <Fact key={reason} name={t(`waits.${reason}`)}>
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
  const { t } = useTranslation();
  const plan = usePlanLeft();
  if (!plan) return null;
  return (
    <>
      <Divider />
      <Fact name={t('send.plan', { name: plan.name })}>
        {plan.lines.map((line) => (
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
