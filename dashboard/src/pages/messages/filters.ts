import type { MessageResponse } from '../../../generated';

type MessageStatus = NonNullable<MessageResponse['status']>;

/** The filters of the API, by its own names: an address of the page is a query of the list. */
export const FILTER_NAMES = [
  'direction',
  'status',
  'cancelled',
  'suppressed',
  'search',
  'recipient',
  'sender',
  'deviceIds',
  'from',
  'to',
  'smsBatchId',
  'contactNumber',
] as const;

export type FilterName = (typeof FILTER_NAMES)[number];
export type Filters = Readonly<Partial<Record<FilterName, string>>>;

/** Reads the filters of an address. The router has parsed numbers and `true` in it. */
export function readFilters(search: Readonly<Record<string, unknown>>): Filters {
  const entries = FILTER_NAMES.flatMap((name) => {
    const value = search[name];
    return ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)] as const] : [];
  });
  return Object.fromEntries(
    entries.filter(([name, value]) => value && !(name === 'direction' && value === 'all')),
  );
}

/** A status to choose: the API has none for cancelled and suppressed messages, which have failed for programs. */
export type StatusChoice = MessageStatus | 'cancelled' | 'suppressed';

/** The filters of a status, in which cancelled and suppressed messages did not fail. */
export function statusFilters(choice: StatusChoice | undefined): Filters {
  if (choice === 'cancelled') return { status: 'failed', cancelled: 'true', suppressed: undefined };
  if (choice === 'suppressed') return { status: 'failed', cancelled: undefined, suppressed: 'true' };
  const not = choice === 'failed' ? 'false' : undefined;
  return { status: choice, cancelled: not, suppressed: not };
}

/** The status that filters choose. */
export function chosenStatus({ status, cancelled, suppressed }: Filters): string | undefined {
  if (cancelled === 'true') return 'cancelled';
  return suppressed === 'true' ? 'suppressed' : status;
}

/** Writes filters as a query string of the API, which a saved view is. Equal filters have equal strings. */
export function toQueryString(filters: Filters): string {
  const entries = FILTER_NAMES.flatMap((name) => {
    const value = filters[name];
    return value ? [[name, value]] : [];
  });
  return new URLSearchParams(entries).toString();
}

/** Reads the query string of a saved view. */
export const fromQueryString = (query: string): Filters =>
  readFilters(Object.fromEntries(new URLSearchParams(query)));
