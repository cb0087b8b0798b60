import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { revokeSession, type SessionResponse } from '../../../generated';
import { listSessionsOptions, listSessionsQueryKey } from '../../../generated/@tanstack/react-query.gen';
import { showSuccess } from '../../components/notify';
import { QueryState } from '../../components/QueryState';
import { Time } from '../../components/Time';
import { Section } from './Section';
import { describeUserAgent } from './user-agent';

/** Where somebody is signed in, this browser first. */
export function SessionsSection() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const sessions = useQuery(listSessionsOptions());
  const end = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const id of ids) await revokeSession({ path: { id }, throwOnError: true });
      return ids.length;
    },
    onSuccess: (count) => showSuccess(t('account.sessions.ended', { count })),
    onSettled: () => queries.invalidateQueries({ queryKey: listSessionsQueryKey() }),
  });
  return (
    <Section title={t('account.sessions.title')} text={t('account.sessions.explanation')}>
      <QueryState query={sessions} lines={3}>
        {({ data }) => {
          const others = data.filter(({ current }) => !current);
          return (
            <Stack gap="md">
              <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }}>
                {[...data.filter(({ current }) => current), ...others].map((session) => (
                  <Session
                    key={session._id}
                    session={session}
                    isEnding={end.isPending}
                    onEnd={() => end.mutate([session._id])}
                  />
                ))}
              </Stack>
              {others.length > 0 && (
                <Group>
                  <Button
                    variant="default"
                    loading={end.isPending}
                    onClick={() => end.mutate(others.map(({ _id }) => _id))}
                  >
                    {t('account.sessions.endOthers')}
                  </Button>
                </Group>
              )}
            </Stack>
          );
        }}
      </QueryState>
    </Section>
  );
}

function Session(props: {
  readonly session: SessionResponse;
  readonly isEnding: boolean;
  readonly onEnd: () => void;
}) {
  const { t } = useTranslation();
  const { current, userAgent = '', lastUsedAt, lastUsedFrom, createdAt, method } = props.session;
  const agent = describeUserAgent(userAgent);
  const name = agent
    ? agent.system
      ? t('account.sessions.browserOn', { browser: agent.browser, system: agent.system })
      : agent.browser
    : userAgent || t('account.sessions.unknownBrowser');
  return (
    <Group component="li" justify="space-between" wrap="nowrap" gap="sm" align="flex-start">
      <div style={{ minWidth: 0 }}>
        <Group gap="xs">
          <Text size="sm" fw={600} className="outside-text" lineClamp={2}>
            {name}
          </Text>
          {current && (
            <Badge variant="light" tt="none">
              {t('account.sessions.current')}
            </Badge>
          )}
        </Group>
        <Text size="xs" c="dimmed" component="div" className="outside-text">
          {t('account.sessions.lastUsed')} <Time value={lastUsedAt} /> {'· '}
          {lastUsedFrom}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {t(`account.sessions.method.${method}`)} <Time value={createdAt} />
        </Text>
      </div>
      {!current && (
        <Button
          size="compact-sm"
          variant="light"
          color="red"
          style={{ flexShrink: 0 }}
          disabled={props.isEnding}
          onClick={props.onEnd}
          aria-label={`${t('account.sessions.end')}: ${name}, ${lastUsedFrom}`}
        >
          {t('account.sessions.end')}
        </Button>
      )}
    </Group>
  );
}
