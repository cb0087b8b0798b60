import type { Types } from 'mongoose';
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
