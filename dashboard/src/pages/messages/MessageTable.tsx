import { Button, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconArrowUp } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type MouseEvent, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { messagePhone } from '../../components/message-phone';
import { ErrorAlert, LoadingSkeleton } from '../../components/QueryState';
import { type Filters, toQueryString } from './filters';
import { useMessageActions } from './message-actions';
import { MessageRow, type RowActions } from './MessageRow';
import classes from './Messages.module.css';
import { type ListPlace, MAX_ROWS, PAGE_SIZE, rowCountOf, TOP, useMessagePages } from './use-message-pages';
import type { MoveSelection } from './use-move-selection';
import { useNow } from './use-now';
import { useTexts } from './use-texts';

const ROW_HEIGHT = 56;
const CARD_HEIGHT = 64;
const OVERSCAN = 8;

/** Where the last list was left, so that going back from a message leads to the same line. */
let left: { readonly filters: string; readonly place: ListPlace; readonly offset: number } | undefined;

/** A list of any length, of which only the rows in sight exist. Remounted for other filters. */
export function MessageTable(props: {
  readonly filters: Filters;
  readonly selection: MoveSelection | undefined;
  readonly empty: ReactNode;
}) {
  const { filters, selection, empty } = props;
  const texts = useTexts();
  const { t } = texts;
  const navigate = useNavigate();
  const filterText = toQueryString(filters);
  const [initial] = useState(() => (left?.filters === filterText ? left : { place: TOP, offset: 0 }));
  const isNarrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false });
  const height = isNarrow ? CARD_HEIGHT : ROW_HEIGHT;
  const scroller = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState(initial.place);

  const rows = useVirtualizer({
    count: rowCountOf(place),
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: OVERSCAN,
    initialOffset: initial.offset,
  });
  useEffect(() => rows.measure(), [rows, height]);
  const shown = rows.getVirtualItems();
  const isAtTop = (rows.scrollOffset ?? initial.offset) < height;
  const range = { first: shown[0]?.index ?? 0, last: shown.at(-1)?.index ?? 0, isAtTop };
  const pages = useMessagePages(filters, range, place, setPlace);

  const leaving = useRef({ place, offset: 0 });
  useEffect(() => {
    leaving.current = { place, offset: rows.scrollOffset ?? 0 };
  });
  useEffect(
    () => () => {
      left = { filters: filterText, ...leaving.current };
    },
    [filterText],
  );

  const now = useNow();
  const actions = useRowActions();
  const open = useCallback(
    (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a[data-message]') : null;
      const id = link?.getAttribute('data-message');
      if (!id || event.defaultPrevented || event.button !== 0) return;
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      void navigate({ to: '/messages/$id', params: { id } });
    },
    [navigate],
  );

  const { head } = pages;
  const error = head.error ?? pages.error;
  if (!head.data && error) return <ErrorAlert error={error} retry={() => void head.refetch()} />;
  if (head.data?.data.length === 0 && place.end === 0) return <>{empty}</>;
  return (
    <>
      {error && <ErrorAlert error={error} />}
      <div className={classes.frame}>
        <NewMessages count={pages.newCount} texts={texts} show={() => rows.scrollToOffset(0)} />
        <div
          className={classes.table}
          role="table"
          aria-label={t('messages.list')}
          aria-rowcount={place.end === undefined ? -1 : place.end + 1}
        >
          <div role="rowgroup">
            <div role="row" aria-rowindex={1} className={classes.header}>
              {COLUMNS.map((column) => (
                <span
                  role="columnheader"
                  key={column}
                  className={
                    column === 'phone' || column === 'time' || column === 'action' ? classes[column] : ''
                  }
                >
                  {t(`messages.columns.${column}`)}
                </span>
              ))}
            </div>
          </div>
          <div className={classes.scroller} ref={scroller} onClick={open} data-testid="messages">
            {head.data ? (
              <div role="rowgroup" style={{ height: rows.getTotalSize(), position: 'relative' }}>
                {shown.map(({ index, start }) => {
                  const message = pages.rowAt(index);
                  return (
                    <div
                      role="row"
                      aria-rowindex={index + 2}
                      key={message?._id ?? index}
                      className={classes.row}
                      style={{ height, transform: `translateY(${start}px)` }}
                    >
                      {message ? (
                        <MessageRow
                          message={message}
                          phone={messagePhone(t, message.device)}
                          now={now}
                          texts={texts}
                          actions={actions}
                          isChosen={selection?.has(message._id)}
                          toggle={selection?.toggle}
                          isNarrow={isNarrow}
                        />
                      ) : (
                        <span role="cell" className={classes.skeleton} aria-label={t('common.loading')} />
                      )}
                    </div>
                  );
                })}
              </div>
            ) : (
              <LoadingSkeleton lines={8} />
            )}
          </div>
        </div>
      </div>
      {rowCountOf(place) >= MAX_ROWS && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('messages.tooMany')}
        </Text>
      )}
    </>
  );
}

const COLUMNS = ['status', 'number', 'message', 'phone', 'time', 'action'] as const;

function NewMessages(props: {
  readonly count: number;
  readonly texts: ReturnType<typeof useTexts>;
  readonly show: () => void;
}) {
  const { count, show } = props;
  const { t } = props.texts;
  return (
    <div role="status" className={classes.fresh}>
      {count > 0 && (
        <Button size="compact-md" radius="xl" leftSection={<IconArrowUp size={16} />} onClick={show}>
          {count >= PAGE_SIZE ? t('messages.manyNew', { count: PAGE_SIZE }) : t('messages.new', { count })}
        </Button>
      )}
    </div>
  );
}

/** The same object until a call begins or ends, so that rows need not be made again. */
function useRowActions(): RowActions {
  const { cancel, sendAgain } = useMessageActions();
  const [cancelNow, sendNow] = [cancel.mutate, sendAgain.mutate];
  const busy = cancel.isPending
    ? cancel.variables.path.id
    : sendAgain.isPending
      ? sendAgain.variables._id
      : undefined;
  return useMemo(
    () => ({
      cancel: ({ _id: id }) => cancelNow({ path: { id } }),
      sendAgain: (message) => sendNow(message),
      busy,
    }),
    [cancelNow, sendNow, busy],
  );
}
