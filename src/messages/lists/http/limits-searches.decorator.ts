import { LimitsConcurrency } from '../../../auth/http/concurrency.interceptor';

/** Limits the lists that an account reads at the same time, and more strictly those that it searches. */
export const LimitsSearches = () =>
  LimitsConcurrency('searches', 5, (query) => (isSearch(query) ? ['searches', 'lists'] : ['lists']));

const isSearch = (query: unknown): boolean =>
  typeof query === 'object' && query !== null && 'search' in query && Boolean(query.search);
