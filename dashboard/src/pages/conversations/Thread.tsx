import { ActionIcon, Button, Center, Divider, Group, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle, useDocumentVisibility, useIntersection } from '@mantine/hooks';
import { IconArrowLeft } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import {
  getConversationOptions,
  getConversationQueryKey,
  listConversationsInfiniteQueryKey,
  listMessagesInfiniteOptions,
  markConversationReadMutation,
} from '../../../generated/@tanstack/react-query.gen';
import { WITH_DELETED_DEVICES } from '../../api/deleted-devices';
import { useSenders } from '../../api/senders';
import { CopyButton } from '../../components/CopyButton';
import { QueryState } from '../../components/QueryState';
import { localeOf, useTimeFormat } from '../../components/Time';
import { Bubble } from './Bubble';
import classes from './Conversations.module.css';
import { ConversationBlock } from './ConversationBlock';
import { ConversationContact } from './ConversationContact';
import { ConversationNote } from './ConversationNote';
import { OutgoingBubble } from './OutgoingBubble';
import { ReplyBox } from './ReplyBox';
import { useParameters } from './search';
import { daysOf, isPhoneNumber } from './thread';
import { useBlock } from './use-block';
import { useReplies } from './use-replies';

const PAGE_SIZE = 50;

/** The messages with a number, the newest at the bottom, and the reply. */
export function Thread({ number, isAlone }: { readonly number: string; readonly isAlone: boolean }) {
  const { t } = useTranslation();
  const parameters = useParameters();
  const senders = useSenders();
  const scroller = useRef<HTMLDivElement>(null);
  const conversation = useQuery(getConversationOptions({ path: { number } })).data?.data;
  const query = useInfiniteQuery({
    ...listMessagesInfiniteOptions({
      query: { contactNumber: number, limit: PAGE_SIZE, ...WITH_DELETED_DEVICES },
    }),
    initialPageParam: {},
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
  });
  const newestFirst =
    (query.data as Partial<typeof query.data> | undefined)?.pages?.flatMap(({ data }) => data) ?? [];
  const { isEnabled, block } = useBlock(number, newestFirst[0]?._id);
  const contact = conversation?.contact;
  const title = contact?.name || number;
  const replies = useReplies(number, newestFirst, () => scroller.current?.scrollTo({ top: 0 }));
  useMarkRead(number, conversation?.unreadCount ?? 0, conversation?.lastMessage._id, query.isSuccess);
  return (
    <section className={classes.pane} aria-label={t('conversations.thread', { number: title })}>
      {isAlone && <TabTitle title={title} />}
      <Stack gap={4} p="sm">
        <Group gap="xs" wrap="nowrap">
          {isAlone && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t('conversations.backToList')}
              renderRoot={(root) => <Link to="/conversations" search={parameters} {...root} />}
            >
              <IconArrowLeft size={20} />
            </ActionIcon>
          )}
          <Title order={isAlone ? 1 : 2} fz="h2" className="outside-text numeric" lineClamp={2}>
            {title}
          </Title>
          <CopyButton value={number} />
        </Group>
        {conversation && <ConversationContact conversation={conversation} />}
        {(!contact || conversation.note) && (
          <ConversationNote number={number} note={conversation?.note} exists={conversation !== undefined} />
        )}
        {isEnabled && (block ?? isPhoneNumber(number)) && <ConversationBlock number={number} block={block} />}
      </Stack>
      <Divider />
      <div
        ref={scroller}
        className={classes.messages}
        role="log"
        // Focusable, so that it can be scrolled by keys.
        tabIndex={0}
        aria-label={t('conversations.thread', { number: title })}
      >
        <Stack gap="sm" p="sm">
          <QueryState query={query} lines={6}>
            {() => (
              <>
                <Older
                  scroller={scroller}
                  hasMore={query.hasNextPage}
                  isLoading={query.isFetchingNextPage}
                  load={() => void query.fetchNextPage()}
                  isEmpty={newestFirst.length === 0}
                />
                <Days messages={newestFirst.toReversed()} senders={senders} />
              </>
            )}
          </QueryState>
          {replies.outgoing.map((reply) => (
            <OutgoingBubble key={reply.key} reply={reply} retry={replies.retry} takeBack={replies.takeBack} />
          ))}
        </Stack>
      </div>
      <Divider />
      <ReplyBox
        number={number}
        name={title}
        senders={senders}
        newest={newestFirst[0]}
        block={block}
        draft={replies.draft}
        onDraft={replies.setDraft}
        onSend={replies.send}
      />
    </section>
  );
}

function TabTitle({ title }: { readonly title: string }) {
  const { t } = useTranslation();
  useDocumentTitle(`${title} · ${t('shell.product')}`);
  return null;
}

/** Marks the conversation as read while it is in sight. */
function useMarkRead(number: string, unread: number, last: string | undefined, isShown: boolean): void {
  const queries = useQueryClient();
  const visibility = useDocumentVisibility();
  const { mutate } = useMutation({
    ...markConversationReadMutation(),
    // It is done again with the next message.
    meta: { showsErrors: true },
    onSuccess: (read) => {
      queries.setQueryData(getConversationQueryKey({ path: { number } }), read);
      return queries.invalidateQueries({ queryKey: [{ _id: listConversationsInfiniteQueryKey()[0]._id }] });
    },
  });
  useEffect(() => {
    if (unread > 0 && isShown && visibility === 'visible') mutate({ path: { number }, body: {} });
  }, [number, unread, last, isShown, visibility, mutate]);
}

/** Loads older messages when it comes into sight; a button for those who do not scroll. */
function Older(props: {
  readonly scroller: React.RefObject<HTMLDivElement | null>;
  readonly hasMore: boolean;
  readonly isLoading: boolean;
  readonly isEmpty: boolean;
  readonly load: () => void;
}) {
  const { t } = useTranslation();
  const { hasMore, isLoading, load, isEmpty } = props;
  const { ref, entry } = useIntersection({ root: props.scroller.current, rootMargin: '200px' });
  const isInSight = entry?.isIntersecting ?? false;
  const loadNow = useRef(load);
  useEffect(() => {
    loadNow.current = load;
  });
  useEffect(() => {
    if (isInSight && hasMore && !isLoading) loadNow.current();
  }, [isInSight, hasMore, isLoading]);
  if (hasMore)
    return (
      <Center ref={ref}>
        <Button variant="subtle" size="compact-sm" loading={isLoading} onClick={load}>
          {t('conversations.older')}
        </Button>
      </Center>
    );
  return (
    <Text size="xs" c="dimmed" ta="center">
      {isEmpty ? t('conversations.newThread') : t('conversations.beginning')}
    </Text>
  );
}

function Days(props: {
  readonly messages: Parameters<typeof daysOf>[0];
  readonly senders: ReturnType<typeof useSenders>;
}) {
  const { i18n } = useTranslation();
  const { timeZone } = useTimeFormat();
  // The date is one of the zone already.
  const format = new Intl.DateTimeFormat(localeOf(i18n.language), { dateStyle: 'full', timeZone: 'UTC' });
  return daysOf(props.messages, timeZone).map(({ date, messages }) => (
    <Stack key={date} gap={8}>
      <Divider
        label={format.format(new Date(`${date}T00:00:00Z`))}
        labelPosition="center"
        styles={{ label: { color: 'var(--mantine-color-dimmed)' } }}
      />
      {messages.map((message) => (
        <Bubble key={message._id} message={message} senders={props.senders} />
      ))}
    </Stack>
  ));
}
