import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { listImportsOptions } from '../../../../generated/@tanstack/react-query.gen';
import { Time } from '../../../components/Time';
import { Counts, ImportProgress, isOpen, UndoButton } from './ImportResult';

const POLL_MS = 2_000;
const SHOWN = 20;

/** The imports of the last month. */
export function ImportHistory() {
  const { t } = useTranslation();
  const { data } = useQuery({
    ...listImportsOptions({ query: { limit: SHOWN } }),
    refetchInterval: ({ state }) => (state.data?.data.some(isOpen) ? POLL_MS : false),
  });
  const imports = data?.data ?? [];
  if (imports.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label={t('imports.history')}>
      <Title order={2} size="h4">
        {t('imports.history')}
      </Title>
      {imports.map((job) => (
        <Card key={job._id} padding="sm">
          <Group justify="space-between" align="flex-start" gap="sm">
            <Stack gap={2} style={{ minWidth: 0, flex: '1 1 220px' }}>
              <Text fw={500} className="outside-text" lineClamp={1}>
                {job.fileName ?? t('imports.pasted')}
              </Text>
              <Text size="sm" c="dimmed" component="div">
                <Time value={job.createdAt} /> · {t(`imports.states.${job.state}`)}
              </Text>
              {isOpen(job) ? <ImportProgress job={job} /> : <Counts job={job} />}
            </Stack>
            {(job.state === 'done' || job.state === 'applying') && <UndoButton job={job} />}
          </Group>
        </Card>
      ))}
    </Stack>
  );
}
