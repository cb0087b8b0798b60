import { useQueryClient } from '@tanstack/react-query';
import { listApiKeysQueryKey } from '../../../generated/@tanstack/react-query.gen';

/** Reads the keys again, of each status. */
export function useRefreshKeys(): () => Promise<void> {
  const queries = useQueryClient();
  const [{ _id }] = listApiKeysQueryKey();
  return () =>
    queries.invalidateQueries({
      predicate: ({ queryKey: [key] }) => (key as { _id?: string } | undefined)?._id === _id,
    });
}
