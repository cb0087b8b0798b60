import { Group, Progress, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Quota, quotasOf, type Sim } from '../../../components/phones/phone';
import { Time } from '../../../components/Time';

/** A limit that is reached is what its owner wanted. */
const COLORS = { ok: 'teal', near: 'blue', reached: 'blue' } as const;

/** What is used and left of the limits of a SIM. */
export function QuotaBars({ sim, title }: { readonly sim: Sim; readonly title: string }) {
  const { t } = useTranslation();
  const quotas = quotasOf(sim);
  const pace = sim.limits.partsPerMinute;
  if (quotas.length === 0 && pace === undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t('phones.sims.noLimits')}
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      {quotas.map((quota) => (
        <QuotaBar key={quota.limit} quota={quota} title={title} />
      ))}
      {pace !== undefined && (
        <Text size="xs" c="dimmed" className="numeric">
          {t('phones.sims.partsPerMinute', { count: pace })}
        </Text>
      )}
    </Stack>
  );
}

export function QuotaBar({ quota, title }: { readonly quota: Quota; readonly title: string }) {
  const { t } = useTranslation();
  const { limit, used, allowed, left, level, resetsAt } = quota;
  const name = t(`phones.sims.limit.${limit}`);
  const share = t('phones.sims.quota', { used, allowed });
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="xs">{name}</Text>
        <Text size="xs" className="numeric" {...(level === 'ok' && { c: 'dimmed' })}>
          {share} · {t('phones.sims.left', { count: left })}
        </Text>
      </Group>
      <Progress.Root size="sm">
        <Progress.Section
          value={Math.min(100, (used / allowed) * 100)}
          color={COLORS[level]}
          withAria={false}
          role="progressbar"
          aria-label={`${title}: ${name}`}
          aria-valuemin={0}
          aria-valuemax={allowed}
          aria-valuenow={Math.min(used, allowed)}
          aria-valuetext={share}
        />
      </Progress.Root>
      {resetsAt && level !== 'ok' && (
        <Text size="xs" c="dimmed" mt={2}>
          {t('phones.sims.resets')} <Time value={resetsAt} />
        </Text>
      )}
    </div>
  );
}
