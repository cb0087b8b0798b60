import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { getQueueOptions } from '../../../generated/@tanstack/react-query.gen';
import type { Device, Sim } from '../../components/phones/phone';
import { LoadingSkeleton, QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { Panel } from './Panel';

const QueueTable = lazy(() => import('./QueueTable'));

/** The SIMs with the most messages. */
const SHOWN = 8;

/** What waits on the server, when it ends, and what is held back. */
export function QueuePanel(props: { readonly devices: readonly Device[]; readonly sims: readonly Sim[] }) {
  const { t } = useTranslation();
  const queue = useQuery(getQueueOptions());
  return (
    <Panel title={t('overview.queue.title')} more={{ to: '/phones', label: t('overview.queue.more') }}>
      <QueryState query={queue} lines={3}>
        {({ data }) =>
          data.messages === 0 ? (
            <Text size="sm" c="dimmed">
              {t('overview.queue.nothing')}
            </Text>
          ) : (
            <Stack gap="xs">
              <Group gap="md" style={{ rowGap: 2 }}>
                <Text size="sm" fw={600} className="numeric">
                  {t(data.isLowerBound ? 'overview.queue.atLeast' : 'overview.queue.waiting', {
                    count: data.messages,
                  })}
                </Text>
                {data.endsAt && (
                  <Text size="sm" c="dimmed" component="div">
                    {t('overview.queue.endsAt')} <Time value={data.endsAt} />
                  </Text>
                )}
              </Group>
              <Suspense fallback={<LoadingSkeleton lines={3} />}>
                <QueueTable entries={data.sims.slice(0, SHOWN)} {...props} />
              </Suspense>
              {data.sims.length > SHOWN && (
                <Text size="sm" c="dimmed">
                  {t('overview.queue.others', { count: data.sims.length - SHOWN })}
                </Text>
              )}
            </Stack>
          )
        }
      </QueryState>
    </Panel>
  );
}
