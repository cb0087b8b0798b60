import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  checkSuppressions,
  type SuppressionCheckRequest,
  type SuppressionCheckResponse,
} from '../../../generated';

/** The bound of the API. */
const MAX_CHARACTERS = 40;

/**
 * Asks which of these numbers a send would not reach.
 * @param key stands for the numbers, which may be 10,000.
 * @returns the answer, or the one before while it `isPending`.
 */
export function useStopped(
  numbers: readonly string[],
  send: Pick<SuppressionCheckRequest, 'purpose' | 'topic'>,
  key: string,
): { readonly stopped: SuppressionCheckResponse | undefined; readonly isPending: boolean } {
  const isNeeded = numbers.length > 0;
  const query = useQuery({
    queryKey: [{ _id: 'checkSuppressions', key, ...send }],
    queryFn: async ({ signal }) => {
      const body = { numbers: numbers.map((number) => number.slice(0, MAX_CHARACTERS)), ...send };
      return (await checkSuppressions({ body, signal, throwOnError: true })).data.data;
    },
    enabled: isNeeded,
    placeholderData: keepPreviousData,
    refetchInterval: false,
    staleTime: 60_000,
    // The service stops them all the same.
    retry: false,
  });
  const isPending = isNeeded && (query.isPending || query.isPlaceholderData);
  return { stopped: isNeeded ? query.data : undefined, isPending };
}
