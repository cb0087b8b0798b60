import { Anchor, Badge, Card, Group, Loader, Stack, Text, Title } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { LoopTestResponse } from '../../../generated';
import { Time } from '../../components/Time';

type Direction = NonNullable<LoopTestResponse['run']>['directions'][number];

const COLORS = { waiting: 'gray', arrived: 'teal', lost: 'red', not_sent: 'red' } as const;

/** What has become of the texts of the last run. */
export function LoopTestResult(props: {
  readonly test: LoopTestResponse;
  readonly titleOf: (sim: string) => string;
}) {
  const { t } = useTranslation();
  const { run } = props.test;
  return (
    <Card component="section" aria-label={t('loopTest.result')}>
      <Title order={2} mb={4}>
        {t('loopTest.result')}
      </Title>
      <Text size="sm" c="dimmed" mb="md" component="div">
        {run ? (
          <>
            {t('loopTest.started')} <Time value={run.startedAt} />
          </>
        ) : (
          t('loopTest.never')
        )}
      </Text>
      <Stack gap="lg" aria-live="polite">
        {run?.directions.map((direction) => (
          <DirectionResult key={direction.from} direction={direction} titleOf={props.titleOf} />
        ))}
      </Stack>
    </Card>
  );
}

function DirectionResult(props: {
  readonly direction: Direction;
  readonly titleOf: (sim: string) => string;
}) {
  const { t } = useTranslation();
  const { from, to, result, reason, seconds, refusal, message } = props.direction;
  return (
    <Stack gap={6}>
      <Group justify="space-between" gap="sm">
        <Group gap={6} style={{ minWidth: 0 }}>
          <Text fw={600} className="outside-text">
            {props.titleOf(from)}
          </Text>
          <IconArrowRight size={16} role="img" aria-label={t('loopTest.to')} />
          <Text fw={600} className="outside-text">
            {props.titleOf(to)}
          </Text>
        </Group>
        <Badge
          variant="light"
          tt="none"
          color={COLORS[result]}
          leftSection={result === 'waiting' && <Loader size={12} color="gray" aria-hidden />}
        >
          {result === 'arrived'
            ? t('loopTest.seconds', { seconds: seconds ?? 0 })
            : t(`loopTest.results.${result}`)}
        </Badge>
      </Group>
      {result === 'waiting' && <Text size="sm">{t('loopTest.waitingText')}</Text>}
      {reason && <Text size="sm">{t(`loopTest.reasons.${reason}`)}</Text>}
      {refusal && (
        <Text size="sm" className="outside-text">
          {refusal}
        </Text>
      )}
      {message && (
        <Anchor
          size="sm"
          renderRoot={(root) => <Link to="/messages/$id" params={{ id: message }} {...root} />}
        >
          {t('loopTest.message')}
        </Anchor>
      )}
    </Stack>
  );
}
