import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { listConversations, listMessages } from '../../../generated';
import { WITH_DELETED_DEVICES } from '../../api/deleted-devices';
import { MIN_SEARCH_CHARACTERS } from './matches';

/** How long nothing is typed before the service is asked. */
const PAUSE_MS = 250;

/** The bound of the API. */
const MAX_SEARCH_CHARACTERS = 512;

/** Of each kind. */
export const MAX_FOUND = 5;

/** Not repeated by live updates: what is found stays while it is looked at. */
const ONCE = { refetchInterval: false, retry: false, staleTime: 10_000, gcTime: 30_000 } as const;

/** Conversations and messages that the service finds, and whether it still looks for them. */
export function useFound(typed: string) {
  const search = typed.slice(0, MAX_SEARCH_CHARACTERS);
  const [settled] = useDebouncedValue(search, PAUSE_MS);
  const isSearch = search.length >= MIN_SEARCH_CHARACTERS;
  const enabled = isSearch && settled === search;
  const query = { search, limit: MAX_FOUND };
  const conversations = useQuery({
    ...ONCE,
    queryKey: ['palette-conversations', search],
    queryFn: async ({ signal }) => (await listConversations({ query, signal, throwOnError: true })).data.data,
    enabled,
  });
  const messages = useQuery({
    ...ONCE,
    queryKey: ['palette-messages', search],
    queryFn: async ({ signal }) =>
      (await listMessages({ query: { ...query, ...WITH_DELETED_DEVICES }, signal, throwOnError: true })).data
        .data,
    enabled,
  });
  return {
    conversations: isSearch ? (conversations.data ?? []) : [],
    messages: isSearch ? (messages.data ?? []) : [],
    isSearching: isSearch && (conversations.isPending || messages.isPending),
    error: isSearch ? (conversations.error ?? messages.error) : null,
  };
}
