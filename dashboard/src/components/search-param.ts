import { useNavigate, useSearch } from '@tanstack/react-router';

type Value = string | boolean | undefined;

/** What is open on a page, as a part of its address. */
export function useSearchParam(name: string): [Value, (value: Value) => void] {
  const navigate = useNavigate();
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const value = search[name];
  const set = (to: Value) =>
    void navigate({ to: '.', search: (previous) => ({ ...previous, [name]: to }), resetScroll: false });
  return [typeof value === 'string' || typeof value === 'boolean' ? value : undefined, set];
}
