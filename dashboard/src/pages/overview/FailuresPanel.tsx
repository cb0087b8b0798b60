import { Anchor, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listMessagesOptions } from '../../../generated/@tanstack/react-query.gen';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { Panel } from './Panel';

const SHOWN = 5;

/** The last messages that failed, each with the way to its explanation. Those that somebody cancelled did not fail. */
export function FailuresPanel() {
  const { t } = useTranslation();
  const failures = useQuery(
    listMessagesOptions({ query: { direction: 'sent', status: 'failed', limit: 4 * SHOWN } }),
  );
  return (
    <Panel
      title={t('overview.failures.title')}
      more={{ to: '/messages', label: t('overview.failures.more') }}
      search={{ status: 'failed' }}
    >
      <QueryState query={failures} lines={3}>
        {({ data }) => {
          const shown = data.filter(({ errorCode }) => errorCode !== 'CANCELLED').slice(0, SHOWN);
          if (shown.length === 0) {
            return (
              <Text size="sm" c="dimmed">
                {t('overview.failures.nothing')}
              </Text>
            );
          }
          return (
            <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
              {shown.map(({ _id, recipient = '', errorMessage, errorCode, failedAt, updatedAt }) => (
                <li key={_id}>
                  <Group justify="space-between" gap="sm" wrap="nowrap">
                    <Text size="sm" fw={600} truncate dir="auto" className="numeric">
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
                    {errorMessage ?? errorCode ?? t('overview.failures.noReason')}
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
