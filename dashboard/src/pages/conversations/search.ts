import { useParams, useSearch } from '@tanstack/react-router';

/** The filter and the search, which stay while conversations are opened. */
export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

export function useParameters(): Parameters {
  const parameters: unknown = useSearch({ strict: false });
  return parameters as Parameters;
}

/** The number of the open conversation. */
export function useNumber(): string | undefined {
  const path: unknown = useParams({ strict: false });
  return (path as { number?: string }).number;
}
