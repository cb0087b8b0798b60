import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { listMessagesOptions } from '../../../generated/@tanstack/react-query.gen';
import { WITH_DELETED_DEVICES } from '../../api/deleted-devices';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { loadCatalogues } from '../../i18n';
import { statusFilters } from '../messages/filters';
import { Panel } from './Panel';

/** The first load does without the texts of failures. */
const FailureLine = lazy(async () => {
  const [line] = await Promise.all([import('./FailureLine'), loadCatalogues(['failures'])]);
  return line;
});

const SHOWN = 5;

/** The last messages that failed, each with the way to its explanation. Those that were cancelled, or whose recipients are blocked, did not fail. */
export function FailuresPanel() {
  const { t } = useTranslation();
  const failures = useQuery(
    listMessagesOptions({
      query: {
        status: 'failed',
        cancelled: 'false',
        suppressed: 'false',
        limit: SHOWN,
        ...WITH_DELETED_DEVICES,
      },
    }),
  );
  return (
    <Panel
      title={t('overview.failures.title')}
      more={{ to: '/messages', label: t('overview.failures.more') }}
      search={statusFilters('failed')}
    >
      <QueryState query={failures} lines={3}>
        {({ data }) => {
          if (data.length === 0) {
            return (
              <Text size="sm" c="dimmed">
                {t('overview.failures.nothing')}
              </Text>
            );
          }
          return (
            <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
              {data.map(({ _id, recipient = '', failedAt, updatedAt, ...failure }) => (
                <li key={_id}>
                  <Group justify="space-between" gap={0} style={{ columnGap: 'var(--mantine-spacing-sm)' }}>
                    <Text size="sm" fw={600} dir="auto" className="outside-text numeric">
                      {recipient}
                    </Text>
                    <Group gap="sm" wrap="nowrap" style={{ flexShrink: 0 }}>
                      <Text size="xs" c="dimmed" component="div">
                        <Time value={failedAt ?? updatedAt} />
                      </Text>
                      <Anchor
                        renderRoot={(root) => <Link to="/messages/$id" params={{ id: _id }} {...root} />}
                        size="sm"
                        aria-label={t('overview.failures.whyOf', { recipient })}
                      >
                        {t('overview.failures.why')}
                      </Anchor>
                    </Group>
                  </Group>
                  <Text size="xs" c="dimmed" lineClamp={2} className="outside-text">
                    <Suspense>
                      <FailureLine failure={failure} />
                    </Suspense>
                  </Text>
                </li>
              ))}
            </Stack>
          );
        }}
      </QueryState>
    </Panel>
  );
}
