/** The filters of the API, by its own names: an address of the page is a query of the list. */
export const FILTER_NAMES = [
  'direction',
  'status',
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

/** Reads the filters of an address. Its values may be numbers, because the router parses them. */
export function readFilters(search: Readonly<Record<string, unknown>>): Filters {
  const entries = FILTER_NAMES.flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [];
  });
  return Object.fromEntries(
    entries.filter(([name, value]) => value && !(name === 'direction' && value === 'all')),
  );
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
