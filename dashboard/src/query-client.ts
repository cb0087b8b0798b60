import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { BASE_PATH, currentPath } from './api/base-path';
import { ApiError } from './api/client';
import { leaveForSignIn } from './api/leave-for-sign-in';
import { showError } from './components/notify';

/** Pages read again what they show, besides what the event stream tells. */
export const REFRESH_MS = 30_000;

const isSessionLost = (error: unknown) => error instanceof ApiError && error.status === 401;

/** Whether this page was signed in: a first visit has read nothing yet. */
const hasReadData = () =>
  queryClient
    .getQueryCache()
    .getAll()
    .some(({ state }) => state.data !== undefined);

/** A session that ended elsewhere leads to the sign-in page, which says so and leads back here. */
function leaveIfSessionLost(error: unknown): void {
  if (!isSessionLost(error) || location.pathname === `${BASE_PATH}/sign-in`) return;
  const ended = hasReadData() ? '&ended=true' : '';
  leaveForSignIn(`/sign-in?to=${encodeURIComponent(currentPath())}${ended}`);
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      refetchInterval: REFRESH_MS,
      staleTime: 5_000,
      retry: (count, error) =>
        count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
    },
    // Without a connection a change fails at once, instead of happening later without its person.
    mutations: { networkMode: 'always' },
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
