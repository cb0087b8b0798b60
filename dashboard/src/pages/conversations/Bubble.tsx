import { Anchor, Group, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { MessageResponse } from '../../../generated';
import { shownStatusOf } from '../../components/message-status';
import type { Senders } from '../../api/senders';
import { failureText } from '../../components/failure-text';
import { messagePhone } from '../../components/message-phone';
import { MessageStatusBadge } from '../../components/MessageStatusBadge';
import { Time } from '../../components/Time';
import classes from './Conversations.module.css';

/** Longer texts are folded. */
const FOLDED_CHARACTERS = 600;

/** A message of a conversation. */
export function Bubble({
  message,
  senders,
}: {
  readonly message: MessageResponse;
  readonly senders: Senders;
}) {
  const { t } = useTranslation();
  const { direction, segments = 1, truncated } = message;
  const status = shownStatusOf(message);
  return (
    <div className={classes.bubble} data-direction={direction}>
      {message.encrypted ? (
        <Group gap={6} wrap="nowrap">
          <IconLock size={16} aria-hidden />
          <Text fs="italic">{t('conversations.encrypted')}</Text>
        </Group>
      ) : (
        <Body text={message.message ?? ''} />
      )}
      {truncated && (
        <Text size="xs" fs="italic">
          {t('conversations.truncated')}
        </Text>
      )}
      <Group gap={8} mt={4} justify={direction === 'sent' ? 'flex-end' : 'flex-start'}>
        {direction === 'sent' && <MessageStatusBadge status={status} />}
        <Origin message={message} senders={senders} />
        {segments > 1 && (
          <Text size="xs" className="numeric">
            {t('conversations.parts', { count: segments })}
          </Text>
        )}
        <Anchor
          renderRoot={(root) => <Link to="/messages/$id" params={{ id: message._id }} {...root} />}
          size="xs"
          c="inherit"
          aria-label={t('conversations.details')}
        >
          <Time value={message.createdAt} withDate={false} />
        </Anchor>
      </Group>
      {status === 'failed' && (
        <Text size="sm" c="red" className="outside-text">
          {failureText(t, message)}
        </Text>
      )}
    </div>
  );
}

function Body({ text }: { readonly text: string }) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  if (text.length <= FOLDED_CHARACTERS) return <Text className="outside-text">{text}</Text>;
  return (
    <>
      <Text className="outside-text">{isOpen ? text : `${text.slice(0, FOLDED_CHARACTERS)}…`}</Text>
      <Anchor
        component="button"
        type="button"
        size="sm"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {isOpen ? t('conversations.showLess') : t('conversations.showAll')}
      </Anchor>
    </>
  );
}

/** By which phone and SIM, where there is more than one. */
function Origin({ message, senders }: { readonly message: MessageResponse; readonly senders: Senders }) {
  const { t } = useTranslation();
  const { device, sim: id, simSubscriptionId } = message;
  if (!senders.isPlural && device.deletedAt === undefined) return null;
  const phone = messagePhone(t, device);
  const sim = senders.findSim({ device: device._id, sim: id, simSubscriptionId });
  return (
    <Text size="xs" className="outside-text">
      {sim ? t('send.simOf', { sim: senders.simName(sim), phone }) : phone}
    </Text>
  );
}
