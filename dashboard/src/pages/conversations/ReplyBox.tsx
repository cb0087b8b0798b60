import { Anchor, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageResponse, SuppressionResponse } from '../../../generated';
import { listMessagesOptions } from '../../../generated/@tanstack/react-query.gen';
import { WITH_DELETED_DEVICES } from '../../api/deleted-devices';
import type { Senders } from '../../api/senders';
import { MessageComposer } from '../../components/MessageComposer';
import { isPhoneNumber, type ReplySender, replySenderOf } from './thread';

/** Replies by the phone and SIM that the number last wrote to. */
export function ReplyBox(props: {
  readonly number: string;
  /** Whose the number is, if that is known. */
  readonly name: string;
  readonly senders: Senders;
  /** Tells the sender where nothing was received. */
  readonly newest: MessageResponse | undefined;
  /** What stops messages to the number. */
  readonly block: SuppressionResponse | undefined;
  readonly draft: string;
  readonly onDraft: (text: string) => void;
  readonly onSend: (sender: ReplySender, isTransactional: boolean) => void;
}) {
  const { t } = useTranslation();
  const { number, name, senders, newest, block, draft, onDraft, onSend } = props;
  const [isAnswer, setAnswer] = useState(false);
  const received = useQuery(
    listMessagesOptions({
      query: { contactNumber: number, direction: 'received', limit: 1, ...WITH_DELETED_DEVICES },
    }),
  );
  if (!isPhoneNumber(number)) return <Hint>{t('conversations.noReply')}</Hint>;
  if (senders.isLoaded && senders.devices.length === 0)
    return (
      <Hint>
        {t('conversations.noPhone')}{' '}
        <Anchor renderRoot={(root) => <Link to="/phones" {...root} />} size="sm">
          {t('conversations.toPhones')}
        </Anchor>
      </Hint>
    );
  const isStopped = block?.state === 'out' && block.topic === undefined;
  if (isStopped && block.covers === 'everything') return <Hint>{t('conversations.block.noReply')}</Hint>;
  const sender = replySenderOf(received.data?.data[0] ?? newest, senders.devices);
  const isReady = senders.isLoaded && !received.isPending && (!isStopped || isAnswer);
  const submit = () => {
    if (!isReady) return;
    onSend(sender, isStopped);
    setAnswer(false);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="xs" p="sm">
        <MessageComposer
          label={t('conversations.replyTo', { number: name })}
          hidesLabel
          placeholder={t('conversations.replyTo', { number: name })}
          minRows={2}
          value={draft}
          onChange={onDraft}
          onSubmit={submit}
        />
        {isStopped && (
          <Checkbox
            checked={isAnswer}
            onChange={({ currentTarget }) => setAnswer(currentTarget.checked)}
            label={t('conversations.block.answers')}
          />
        )}
        <Group justify="space-between" gap="xs">
          <Text
            size="xs"
            c={sender.isReplaced ? undefined : 'dimmed'}
            flex={1}
            miw={160}
            className="outside-text"
          >
            {isReady && fromText()}
          </Text>
          <Text size="xs" c="dimmed" visibleFrom="xs">
            {t('send.shortcut')}
          </Text>
          <Button
            type="submit"
            disabled={!isReady || draft.trim() === ''}
            leftSection={<IconSend size={16} />}
          >
            {t('conversations.reply')}
          </Button>
        </Group>
      </Stack>
    </form>
  );

  function fromText(): string {
    if (sender.isReplaced) return t('conversations.replyFromOther');
    const phone = senders.phoneName(sender.deviceId);
    if (phone === undefined) return t('conversations.replyFromDefault');
    const sim = senders.findSim({ device: sender.deviceId, simSubscriptionId: sender.simSubscriptionId });
    return t('conversations.replyFrom', {
      sender: sim ? t('send.simOf', { sim: senders.simName(sim), phone }) : phone,
    });
  }
}

function Hint({ children }: { readonly children: React.ReactNode }) {
  return (
    <Text size="sm" c="dimmed" p="sm">
      {children}
    </Text>
  );
}
