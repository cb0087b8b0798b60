import {
  Badge,
  Box,
  Button,
  Center,
  CloseButton,
  Group,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconLock, IconMessages, IconSearch } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConversationResponse } from '../../../generated';
import { listConversationsInfiniteOptions } from '../../../generated/@tanstack/react-query.gen';
import { shownStatusOf } from '../../components/message-status';
import { EmptyState } from '../../components/EmptyState';
import { MessageStatusBadge } from '../../components/MessageStatusBadge';
import { QueryState } from '../../components/QueryState';
import { useRelativeTime } from '../../components/Time';
import classes from './Conversations.module.css';
import { type Parameters, useParameters } from './search';

const FILTERS = ['all', 'unread', 'unanswered'] as const;
type Filter = (typeof FILTERS)[number];

const PAGE_SIZE = 50;

/** The conversations, that with the newest message first. */
export function ConversationList({ chosen }: { readonly chosen: string | undefined }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const parameters = useParameters();
  const filter: Filter = FILTERS.find((each) => each === parameters.filter) ?? 'all';
  const search = String(parameters.search ?? '');
  const [typed, setTyped] = useState(search);
  const change = (changed: Record<string, string | undefined>) =>
    void navigate({ to: '.', search: { ...parameters, ...changed }, replace: true });
  const look = useDebouncedCallback((text: string) => change({ search: text || undefined }), 300);
  const type = (text: string) => {
    setTyped(text);
    look(text);
  };

  const query = useInfiniteQuery({
    ...listConversationsInfiniteOptions({
      query: {
        limit: PAGE_SIZE,
        ...(search && { search }),
        ...(filter !== 'all' && { [filter]: 'true' }),
      },
    }),
    initialPageParam: {},
    getNextPageParam: ({ meta }) => meta.nextCursor ?? undefined,
  });
  const { fetchNextPage, hasNextPage, isFetching, data } = query;
  const pages = (data as Partial<typeof data> | undefined)?.pages ?? [];
  const shown = pages.flatMap(({ data: conversations }) => conversations);

  return (
    <section className={classes.pane} aria-label={t('conversations.list')}>
      <Stack gap="xs" p="sm">
        <TextInput
          aria-label={t('conversations.searchLabel')}
          placeholder={t('conversations.searchLabel')}
          leftSection={<IconSearch size={16} />}
          rightSection={
            typed && <CloseButton aria-label={t('conversations.clearSearch')} onClick={() => type('')} />
          }
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
        />
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label={t('conversations.filter')}
          value={filter}
          onChange={(value) => change({ filter: value === 'all' ? undefined : value })}
          data={FILTERS.map((value) => ({ value, label: t(`conversations.${value}`) }))}
        />
      </Stack>
      <div className={classes.scroller} tabIndex={-1}>
        <QueryState query={query} lines={8}>
          {() => (
            <>
              <ul className={classes.list}>
                {shown.map((conversation) => (
                  <li key={conversation.number}>
                    <Entry
                      conversation={conversation}
                      isChosen={conversation.number === chosen}
                      parameters={parameters}
                    />
                  </li>
                ))}
              </ul>
              {shown.length === 0 && <Nothing filter={filter} isSearch={search !== ''} />}
              {hasNextPage && (
                <Center p="sm">
                  <Button variant="subtle" loading={isFetching} onClick={() => void fetchNextPage()}>
                    {t('conversations.more')}
                  </Button>
                </Center>
              )}
            </>
          )}
        </QueryState>
      </div>
    </section>
  );
}

function Nothing({ filter, isSearch }: { readonly filter: Filter; readonly isSearch: boolean }) {
  const { t } = useTranslation();
  if (filter === 'all' && !isSearch)
    return (
      <Box px="md">
        <EmptyState
          icon={<IconMessages />}
          title={t('conversations.empty')}
          text={t('conversations.emptyText')}
          action={
            <Button renderRoot={(root) => <Link to="/send" {...root} />}>
              {t('conversations.sendFirst')}
            </Button>
          }
        />
      </Box>
    );
  const text = isSearch
    ? t('conversations.nothingFound')
    : filter === 'unread'
      ? t('conversations.nothingUnread')
      : t('conversations.nothingUnanswered');
  return (
    <Text c="dimmed" ta="center" p="lg" role="status">
      {text}
    </Text>
  );
}

function Entry(props: {
  readonly conversation: ConversationResponse;
  readonly isChosen: boolean;
  readonly parameters: Parameters;
}) {
  const { t } = useTranslation();
  const relative = useRelativeTime();
  const { conversation, isChosen, parameters } = props;
  const { number, contact, lastMessage, unreadCount, unanswered, note } = conversation;
  const isUnread = unreadCount > 0;
  const text = lastMessage.encrypted ? t('conversations.encrypted') : lastMessage.message;
  return (
    <Link
      to="/conversations/$number"
      params={{ number }}
      search={parameters}
      className={classes.entry}
      aria-current={isChosen ? 'page' : undefined}
    >
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text fw={isUnread ? 700 : 500} className="outside-text numeric" lineClamp={1}>
          {contact?.name || number}
        </Text>
        <Text size="xs" c="dimmed" style={{ flexShrink: 0 }}>
          {relative(lastMessage.createdAt)}
        </Text>
      </Group>
      {contact?.name && (
        <Text size="xs" c="dimmed" className="outside-text numeric" lineClamp={1}>
          {number}
        </Text>
      )}
      {note && (
        <Text size="xs" c="dimmed" className="outside-text" lineClamp={1}>
          {note}
        </Text>
      )}
      <Group justify="space-between" wrap="nowrap" gap="xs" align="center">
        <Group gap={4} wrap="nowrap" style={{ minWidth: 0 }}>
          {lastMessage.encrypted && <IconLock size={14} aria-hidden style={{ flexShrink: 0 }} />}
          <Text
            size="sm"
            c={isUnread ? undefined : 'dimmed'}
            fw={isUnread ? 600 : 400}
            lineClamp={1}
            className="outside-text"
          >
            {lastMessage.direction === 'sent' ? t('conversations.you', { text }) : text}
          </Text>
        </Group>
        {isUnread ? (
          <Badge
            circle={unreadCount < 100}
            style={{ flexShrink: 0 }}
            aria-label={t('conversations.unreadCount', { count: unreadCount })}
            role="img"
          >
            {unreadCount}
          </Badge>
        ) : lastMessage.status === 'failed' ? (
          <MessageStatusBadge status={shownStatusOf(lastMessage)} />
        ) : (
          unanswered && (
            <Badge color="orange" variant="light" size="sm" tt="none" style={{ flexShrink: 0 }}>
              {t('conversations.unanswered')}
            </Badge>
          )
        )}
      </Group>
    </Link>
  );
}
