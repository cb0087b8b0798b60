import { Anchor, Button, Card, Group, List, Text, Title } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { listMessagesOptions } from '../../../generated/@tanstack/react-query.gen';
import { WITH_DELETED_DEVICES } from '../../api/deleted-devices';
import { failureRemedy, failureText } from '../../components/failure-text';
import { QueryState } from '../../components/QueryState';
import { groupFailures } from './failure-groups';

const READ = 100;
const EXAMPLES = 5;

/** Why messages of a campaign failed, what to do, and sending them again. @param count of all failures. */
export function Failures({ id, count }: { readonly id: string; readonly count: number }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const failed = useQuery(
    listMessagesOptions({
      query: { smsBatchId: id, status: 'failed', limit: READ, ...WITH_DELETED_DEVICES },
    }),
  );
  return (
    <Card component="section">
      <Group justify="space-between" mb="sm">
        <Title order={2}>{t('campaigns.failures', { count, number: number.format(count) })}</Title>
        <Button
          leftSection={<IconRepeat size={16} />}
          renderRoot={(props) => <Link to="/campaigns/new" search={{ failedOf: id }} {...props} />}
        >
          {t('campaigns.sendFailedAgain', { count, number: number.format(count) })}
        </Button>
      </Group>
      <QueryState query={failed} lines={2}>
        {({ data, meta }) => (
          <>
            <List listStyleType="none" spacing="sm">
              {groupFailures(data).map((messages) => (
                <List.Item key={messages[0]._id}>
                  <Text className="outside-text">
                    <b className="numeric">{number.format(messages.length)}</b> ·{' '}
                    {failureText(t, messages[0])}{' '}
                    {!messages[0].laterReports && failureRemedy(t, messages[0].errorCode)}
                  </Text>
                  <Group gap="xs">
                    {messages.slice(0, EXAMPLES).map((message) => (
                      <Anchor
                        key={message._id}
                        size="sm"
                        className="outside-text numeric"
                        renderRoot={(props) => (
                          <Link to="/messages/$id" params={{ id: message._id }} {...props} />
                        )}
                      >
                        {message.recipient}
                      </Anchor>
                    ))}
                    {messages.length > EXAMPLES && (
                      <Text size="sm" c="dimmed">
                        {t('campaigns.andMore', { count: messages.length - EXAMPLES })}
                      </Text>
                    )}
                  </Group>
                </List.Item>
              ))}
            </List>
            {meta.hasMore && (
              <Text size="sm" c="dimmed" mt="sm">
                {t('campaigns.newestFailures', { count: READ })}
              </Text>
            )}
          </>
        )}
      </QueryState>
    </Card>
  );
}
