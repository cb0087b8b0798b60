import { Button, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../components/notify';
import classes from './Conversations.module.css';
import type { Outgoing } from './use-replies';

/** A reply that the service has not accepted yet, or refused. */
export function OutgoingBubble(props: {
  readonly reply: Outgoing;
  readonly retry: (reply: Outgoing) => void;
  readonly takeBack: (reply: Outgoing) => void;
}) {
  const { t } = useTranslation();
  const { reply, retry, takeBack } = props;
  return (
    <div className={classes.bubble} data-direction="sent">
      <Text className="outside-text">{reply.text}</Text>
      {reply.error === undefined ? (
        <Text size="xs" ta="right" role="status">
          {t('conversations.sending')}
        </Text>
      ) : (
        <div role="alert">
          <Text size="sm" c="red" className="outside-text">
            {t('conversations.notSent')}: {errorText(reply.error)}
          </Text>
          <Group gap="xs" mt={4} justify="flex-end">
            <Button size="compact-xs" variant="default" onClick={() => takeBack(reply)}>
              {t('conversations.putBack')}
            </Button>
            <Button size="compact-xs" onClick={() => retry(reply)}>
              {t('common.tryAgain')}
            </Button>
          </Group>
        </div>
      )}
    </div>
  );
}
