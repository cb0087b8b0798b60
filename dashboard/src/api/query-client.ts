import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { showError } from '../components/notify';
import { ApiError } from './client';

/** Pages read again what they show, besides what the event stream tells. */
export const REFRESH_MS = 30_000;

const isSessionLost = (error: unknown) => error instanceof ApiError && error.status === 401;

let isLeaving = false;
// Also when the browser shows a page again that it has kept.
addEventListener('pageshow', () => (isLeaving = false));

/** Leads to the sign-in page. Calls that fail meanwhile do not lead there again, which would stop this navigation. */
export function leaveForSignIn(address = '/sign-in'): void {
  if (isLeaving) return;
  isLeaving = true;
  location.assign(address);
}

/** A session that ended elsewhere leads to the sign-in page, which leads back here. */
function leaveIfSessionLost(error: unknown): void {
  if (!isSessionLost(error) || location.pathname === '/sign-in') return;
  leaveForSignIn(`/sign-in?to=${encodeURIComponent(location.pathname + location.search)}`);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      refetchInterval: REFRESH_MS,
      staleTime: 5_000,
      retry: (count, error) =>
        count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
  },
  queryCache: new QueryCache({ onError: leaveIfSessionLost }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      leaveIfSessionLost(error);
      // A form that shows the error beside its fields says so.
      if (!isSessionLost(error) && !mutation.meta?.showsErrors) showError(error);
    },
  }),
});
