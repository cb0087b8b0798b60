import { Group, Progress, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { getMonthOptions } from '../../../generated/@tanstack/react-query.gen';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { Panel } from './Panel';
import { shownKinds } from './series';

/** In percent, as the API sees it. */
const NEARLY_USED = 80;

/** What happened this month, and what the plan has left. */
export function MonthPanel() {
  const { t, i18n } = useTranslation();
  const month = useQuery(getMonthOptions());
  const number = new Intl.NumberFormat(i18n.language);
  return (
    <Panel title={t('overview.month.title')} more={{ to: '/account', label: t('overview.month.more') }}>
      <QueryState query={month} lines={3}>
        {({ data }) => {
          const { used, left } = data;
          const share =
            left === null ? 0 : Math.min(100, Math.round((used / Math.max(1, used + left)) * 100));
          const rows = [
            ...shownKinds(data).map(
              (kind) => [t(`overview.kind.${kind}`), number.format(data[kind])] as const,
            ),
            [t('overview.month.used'), number.format(used)] as const,
            [
              t('overview.month.left'),
              left === null ? t('overview.month.unlimited') : number.format(left),
            ] as const,
          ];
          return (
            <>
              <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm" component="dl" m={0}>
                {rows.map(([name, value]) => (
                  <div key={name}>
                    <Text size="xs" c="dimmed" component="dt">
                      {name}
                    </Text>
                    <Text fw={600} component="dd" m={0} className="numeric">
                      {value}
                    </Text>
                  </div>
                ))}
              </SimpleGrid>
              {left !== null && (
                <Progress
                  mt="md"
                  value={share}
                  color={share >= 100 ? 'red' : share >= NEARLY_USED ? 'yellow' : undefined}
                  aria-label={t('overview.month.share', { percent: share })}
                />
              )}
              <Group mt="sm" gap={6}>
                <Text size="sm" c="dimmed" component="div">
                  {t('overview.month.resets')} <Time value={data.resetsAt} />
                </Text>
              </Group>
            </>
          );
        }}
      </QueryState>
    </Panel>
  );
}
