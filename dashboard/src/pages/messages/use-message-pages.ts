import { useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import {
  listMessages,
  type ListMessagesData,
  type ListMessagesResponse,
  type MessageResponse,
} from '../../../generated';
import { listMessagesOptions } from '../../../generated/@tanstack/react-query.gen';
import { WITH_DELETED_DEVICES } from '../../api/deleted-devices';
import type { Filters } from './filters';

export const PAGE_SIZE = 100;

/** Browsers limit the height of an element; whoever looks for older messages sets a date. */
export const MAX_ROWS = 200_000;

/** Pages out of sight leave memory after this time. */
const PAGE_LIFETIME_MS = 15_000;

const FROZEN_REFRESH_MS = 15_000;

/** The place of a list, kept so that it is found again after a message was opened. */
export interface ListPlace {
  /** Cursors of the second page and those after it, as far as they are known. */
  readonly cursors: readonly string[];
  /** The number of rows, once the last page was read. */
  readonly end?: number;
  /** The first message when the top of the list was last in sight: those before it are new. */
  readonly top?: Pick<MessageResponse, '_id' | 'createdAt'>;
}

export const TOP: ListPlace = { cursors: [] };

/** The rows of a list as far as its pages are known, and of the page after them. */
export const rowCountOf = ({ end, cursors }: ListPlace): number =>
  end ?? Math.min((cursors.length + 1) * PAGE_SIZE, MAX_ROWS);

/** The rows in sight. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
  /** Whether the list shows its first row: new messages appear there. Else they wait until they are asked for. */
  readonly isAtTop: boolean;
}

const pageOf = (row: number) => Math.floor(row / PAGE_SIZE);

/**
 * Reads the pages of a list that are in sight and their neighbours, by cursor. While the top is out of sight, the list stays as it
 * is, and new messages are counted.
 */
export function useMessagePages(
  filters: Filters,
  range: RowRange,
  place: ListPlace,
  setPlace: (place: ListPlace) => void,
) {
  const query = (page: object): ListMessagesData['query'] =>
    ({ ...filters, ...WITH_DELETED_DEVICES, limit: PAGE_SIZE, ...page }) as ListMessagesData['query'];
  const head = useQuery(listMessagesOptions({ query: query({}) }));
  const newest = head.data?.data;
  const newCount = range.isAtTop || !newest ? 0 : newest.filter((each) => isNewer(each, place.top)).length;

  const lastPage = Math.min(pageOf(range.last) + 1, place.cursors.length);
  const firstPage = Math.min(Math.max(pageOf(range.first) - 1, 0), lastPage);
  const isFrozen = newCount > 0;
  const queries = Array.from({ length: lastPage - firstPage + 1 }, (_, index) => {
    const number = firstPage + index;
    if (number === 0 && isFrozen && place.top) return frozenPage(query({ to: endOf(place.top, filters.to) }));
    const cursor = place.cursors[number - 1];
    return { ...listMessagesOptions({ query: query(cursor ? { cursor } : {}) }), gcTime: PAGE_LIFETIME_MS };
  });
  const { pages, error } = useQueries({ queries, combine: combinePages });

  const top = range.isAtTop ? newest?.[0] : undefined;
  const extended = pages.reduce((known, page, index) => extend(known, firstPage + index, page), place);
  const next = top && top._id !== place.top?._id ? { ...extended, top } : extended;
  // While rendering, so that no row is shown at two places.
  if (next !== place) setPlace(next);

  const known = isFrozen ? newest : undefined;
  const { top: oldTop } = place;
  const rowAt = useCallback(
    (row: number): MessageResponse | undefined => {
      const page = pages[pageOf(row) - firstPage];
      // Until the frozen page is read, its rows are those that the newest page still has.
      if (!page && row < PAGE_SIZE) return known?.filter((each) => !isNewer(each, oldTop))[row];
      return page?.data[row % PAGE_SIZE];
    },
    [pages, firstPage, known, oldTop],
  );
  return { head, newCount, rowAt, error };
}

/** The first page as it was, read seldom: unlike a page by cursor, it is counted. */
const frozenPage = (query: ListMessagesData['query']) => ({
  queryKey: ['frozenMessages', query],
  queryFn: async () => (await listMessages({ query, throwOnError: true })).data,
  refetchInterval: FROZEN_REFRESH_MS,
  gcTime: PAGE_LIFETIME_MS,
});

const combinePages = (
  found: readonly Pick<UseQueryResult<ListMessagesResponse, unknown>, 'data' | 'error'>[],
) => ({
  pages: found.map(({ data }) => data),
  error: found.find(({ error }) => error)?.error,
});

/** Takes the cursor of the page after from a page. If it is another than before, the pages after are others, too. */
function extend(place: ListPlace, number: number, page: ListMessagesResponse | undefined): ListPlace {
  if (!page) return place;
  const { nextCursor } = page.meta;
  const isLast = nextCursor === null || (number + 1) * PAGE_SIZE >= MAX_ROWS;
  const end = isLast ? number * PAGE_SIZE + page.data.length : undefined;
  if (isLast) {
    const isKnown = place.end === end && place.cursors.length === number;
    return isKnown ? place : { ...place, cursors: place.cursors.slice(0, number), end };
  }
  if (place.cursors[number] === nextCursor) return place;
  return { ...place, cursors: [...place.cursors.slice(0, number), nextCursor], end: undefined };
}

/** Lists are ordered by creation, newest first. */
function isNewer(message: MessageResponse, top: ListPlace['top']): boolean {
  if (!top) return false;
  if (message.createdAt === top.createdAt) return message._id > top._id;
  return Date.parse(message.createdAt) > Date.parse(top.createdAt);
}

/** The end of a list that begins with a message: `to` is exclusive. */
function endOf({ createdAt }: NonNullable<ListPlace['top']>, to: string | undefined): string {
  const end = new Date(Date.parse(createdAt) + 1).toISOString();
  return to !== undefined && Date.parse(to) < Date.parse(end) ? to : end;
}
