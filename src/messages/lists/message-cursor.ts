import type { QueryFilter, Types } from 'mongoose';
import { parseId } from '../../common/http/requests/id.pipe';

export const ORDERS = ['desc', 'asc'] as const;
export type Order = (typeof ORDERS)[number];

/** A position in a list of messages or conversations: after the one with this time and id. */
export interface Position {
  readonly createdAt: Date;
  readonly id: Types.ObjectId;
}

/** A position and the order of the list it belongs to. */
export interface MessageCursor extends Position {
  readonly order: Order;
}

export function encodeCursor({ createdAt, id, order }: MessageCursor): string {
  return Buffer.from(`${createdAt.getTime()}.${id.toHexString()}.${order}`).toString('base64url');
}

/** @returns null unless `encodeCursor` wrote this text. */
export function decodeCursor(text: string): MessageCursor | null {
  const [time, idText = '', orderText] = Buffer.from(text, 'base64url').toString('latin1').split('.');
  const createdAt = new Date(Number(time));
  const id = parseId(idText);
  const order = ORDERS.find((known) => known === orderText);
  if (Number.isNaN(createdAt.getTime()) || !id || !order) return null;
  const cursor = { createdAt, id, order };
  return encodeCursor(cursor) === text ? cursor : null;
}

/** Condition of what comes after a position in a list with the latest first. @param time the field by which it is sorted. */
export const earlierThan = <Document>(time: keyof Document & string, { createdAt, id }: Position) =>
  ({
    // The bound of the time is outside the `$or` because only there it limits the index scan.
    [time]: { $lte: createdAt },
    $or: [{ [time]: { $lt: createdAt } }, { _id: { $lt: id } }],
  }) as QueryFilter<Document>;

/** A page of a list. @param found its items, and one more if it is not the last. @param timeOf by which the list is sorted. */
export function pageOf<Item extends { readonly _id: Types.ObjectId }>(
  found: readonly Item[],
  limit: number,
  timeOf: (item: Item) => Date,
  order: Order = 'desc',
) {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit;
  const nextCursor = hasMore && last ? encodeCursor({ createdAt: timeOf(last), id: last._id, order }) : null;
  return { items, nextCursor, hasMore };
}
