import { Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { getCurrentSubscriptionOptions } from '../../../generated/@tanstack/react-query.gen';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { Section } from './Section';

/** As the API sees it. */
const UNLIMITED = -1;
const NEARLY_USED = 80;

export function PlanSection() {
  const { t } = useTranslation();
  const subscription = useQuery(getCurrentSubscriptionOptions());
  return (
    <Section title={t('account.plan.title')}>
      <QueryState query={subscription} lines={3}>
        {({ plan, usage, currentPeriodEnd }) => (
          <Stack gap="md">
            <Text fw={600} size="lg" className="outside-text">
              {plan.displayName}
            </Text>
            <Usage
              name={t('account.plan.today')}
              used={usage.processedSmsToday}
              limit={usage.dailyLimit}
              percent={usage.dailyUsagePercentage}
            />
            <Usage
              name={t('account.plan.month')}
              used={usage.processedSmsLastMonth}
              limit={usage.monthlyLimit}
              percent={usage.monthlyUsagePercentage}
            />
            <Text size="sm" c="dimmed" component="div">
              {t('account.plan.resets')} <Time value={currentPeriodEnd} />
            </Text>
          </Stack>
        )}
      </QueryState>
    </Section>
  );
}

function Usage(props: {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  readonly percent: number;
}) {
  const { t } = useTranslation();
  const { name, used, limit, percent } = props;
  const isUnlimited = limit === UNLIMITED;
  return (
    <div>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text className="numeric">
        {isUnlimited ? t('account.plan.unlimited', { used }) : t('account.plan.used', { used, limit })}
      </Text>
      {!isUnlimited && (
        <Progress
          mt={4}
          value={percent}
          color={percent >= 100 ? 'red' : percent >= NEARLY_USED ? 'yellow' : undefined}
          aria-label={name}
        />
      )}
    </div>
  );
}
