import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

/** Reads again what shows phones, SIMs and pools. */
export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    () =>
      queries.invalidateQueries({
        predicate: ({ queryKey: [key] }) => SHOWN_BY.has((key as { _id?: string } | undefined)?._id ?? ''),
      }),
    [queries],
  );
}

const SHOWN_BY = new Set([
  'listDevices',
  'getDevice',
  'listSims',
  'listPools',
  'getPool',
  'listProblems',
  'getQueue',
]);
