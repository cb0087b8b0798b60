import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

const SHOWN_BY = new Set([
  'listContacts',
  'getContact',
  'listLists',
  'getList',
  'listMembers',
  'listConversations',
  'getConversation',
]);

/** Reads again what shows contacts and lists. */
export function useRefreshContacts(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    () =>
      queries.invalidateQueries({
        predicate: ({ queryKey: [key] }) => SHOWN_BY.has((key as { _id?: string } | undefined)?._id ?? ''),
      }),
    [queries],
  );
}
