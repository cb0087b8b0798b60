import { ActionIcon, Button, Checkbox } from '@mantine/core';
import { IconArrowDownLeft, IconArrowUpRight, IconLock, IconRefresh, IconX } from '@tabler/icons-react';
import { memo } from 'react';
import type { MessageResponse } from '../../../generated';
import { MessageStatusBadge } from '../../components/MessageStatusBadge';
import { shownStatusOf } from '../../components/message-status';
import {
  canBeCancelled,
  canBeMoved,
  needsSendingAgain,
  numberOf,
  stateOf,
  type MessageState,
} from './message-state';
import classes from './Messages.module.css';
import type { Texts } from './use-texts';

/** More than a line can show; the rest is on the page of the message. */
const MAX_SHOWN_CHARACTERS = 400;

const LATE: readonly MessageState['kind'][] = ['unanswered', 'unreported', 'waits'];

export interface RowActions {
  readonly cancel: (message: MessageResponse) => void;
  readonly sendAgain: (message: MessageResponse) => void;
  /** The message that is being cancelled or sent again. */
  readonly busy: string | undefined;
}

/** A line of the list; a card of two lines on a narrow screen. Plain elements, because a list mounts many while it scrolls. */
export const MessageRow = memo(function MessageRow(props: {
  readonly message: MessageResponse;
  readonly phone: string;
  /** In milliseconds since 1970; makes it say how long it waits. */
  readonly now: number;
  readonly texts: Texts;
  readonly actions: RowActions;
  /** Given while messages are being chosen. */
  readonly isChosen: boolean | undefined;
  readonly toggle: ((message: MessageResponse) => void) | undefined;
  readonly isNarrow: boolean;
}) {
  const { message, phone, now, texts, actions, isChosen = false, toggle, isNarrow } = props;
  const { t } = texts;
  const state = stateOf(message, now);
  const isReceived = message.direction === 'received';
  const tone = state.kind === 'failed' ? classes.bad : LATE.includes(state.kind) ? classes.late : '';
  const line = (
    <span className={`${classes.line} ${classes.dimmed} ${tone}`} dir="auto">
      {texts.state(state)}
    </span>
  );
  const time = message.receivedAt ?? message.requestedAt ?? message.createdAt;
  const Direction = isReceived ? IconArrowDownLeft : IconArrowUpRight;
  const hasAnswer = needsSendingAgain(message) || LATE.includes(state.kind);
  return (
    <>
      <div role="cell" className={`${classes.cell} ${classes.status}`}>
        <MessageStatusBadge status={shownStatusOf(message)} />
      </div>
      <div role="cell" className={`${classes.cell} ${classes.of}`}>
        <a className={classes.number} href={`/messages/${message._id}`} data-message={message._id}>
          <Direction size={15} aria-label={t(isReceived ? 'messages.from' : 'messages.to')} role="img" />
          <bdi className={classes.line}>{numberOf(message) || t('common.unknown')}</bdi>
        </a>
      </div>
      <div role="cell" className={`${classes.cell} ${classes.content}`}>
        {!(isNarrow && hasAnswer) && <MessageText message={message} texts={texts} />}
        {(!isNarrow || hasAnswer) && line}
      </div>
      <div role="cell" className={`${classes.cell} ${classes.phone}`}>
        <span className={`${classes.line} ${classes.dimmed}`}>{phone}</span>
      </div>
      <div role="cell" className={`${classes.cell} ${classes.time}`}>
        <time
          dateTime={time}
          title={texts.long(time)}
          className={`numeric ${classes.line} ${classes.dimmed}`}
        >
          {texts.short(time)}
        </time>
      </div>
      <div role="cell" className={`${classes.cell} ${classes.action}`}>
        {toggle ? (
          <ChoiceBox message={message} isChosen={isChosen} toggle={toggle} texts={texts} />
        ) : (
          <RowAction message={message} actions={actions} texts={texts} isNarrow={isNarrow} />
        )}
      </div>
    </>
  );
});

function MessageText({ message, texts }: { readonly message: MessageResponse; readonly texts: Texts }) {
  if (message.encrypted) {
    return (
      <span className={`${classes.line} ${classes.dimmed}`}>
        <IconLock size={13} aria-hidden /> {texts.t('messages.encrypted')}
      </span>
    );
  }
  return (
    <span className={classes.line} dir="auto">
      {message.message?.slice(0, MAX_SHOWN_CHARACTERS)}
    </span>
  );
}

function ChoiceBox(props: {
  readonly message: MessageResponse;
  readonly isChosen: boolean;
  readonly toggle: (message: MessageResponse) => void;
  readonly texts: Texts;
}) {
  const { message, isChosen, toggle, texts } = props;
  if (!canBeMoved(message)) return null;
  const label = texts.t('messages.move.choice', { number: numberOf(message) });
  return (
    <Checkbox
      aria-label={label}
      checked={isChosen}
      onChange={() => toggle(message)}
      styles={{ root: { display: 'inline-block' } }}
    />
  );
}

function RowAction(props: {
  readonly message: MessageResponse;
  readonly actions: RowActions;
  readonly texts: Texts;
  readonly isNarrow: boolean;
}) {
  const { message, actions, isNarrow } = props;
  const { t } = props.texts;
  const isAgain = needsSendingAgain(message);
  if (!isAgain && !canBeCancelled(message)) return null;
  const Icon = isAgain ? IconRefresh : IconX;
  const label = isAgain ? t('messages.sendAgain') : t('common.cancel');
  const button = {
    variant: 'default',
    loading: actions.busy === message._id,
    onClick: () => (isAgain ? actions.sendAgain(message) : actions.cancel(message)),
  } as const;
  return isNarrow ? (
    <ActionIcon {...button} size="md" aria-label={label}>
      <Icon size={16} aria-hidden />
    </ActionIcon>
  ) : (
    <Button {...button} size="compact-xs">
      {label}
    </Button>
  );
}
