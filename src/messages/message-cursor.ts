import type { Types } from 'mongoose';
import { parseId } from '../common/http/id.pipe';

export const ORDERS = ['desc', 'asc'] as const;
export type Order = (typeof ORDERS)[number];

/** A place in the message list: right after this message. */
export interface Position {
  readonly createdAt: Date;
  readonly id: Types.ObjectId;
}

/** A position, and the direction the list was read in when it was taken. */
export interface MessageCursor extends Position {
  readonly order: Order;
}

export function writeCursor({ createdAt, id, order }: MessageCursor): string {
  return Buffer.from(`${createdAt.getTime()}.${id.toHexString()}.${order}`).toString('base64url');
}

/** @returns null for anything but what `writeCursor` wrote. */
export function readCursor(text: string): MessageCursor | null {
  const [time, idText = '', orderText] = Buffer.from(text, 'base64url').toString('latin1').split('.');
  const createdAt = new Date(Number(time));
  const id = parseId(idText);
  const order = ORDERS.find((known) => known === orderText);
  if (Number.isNaN(createdAt.getTime()) || !id || !order) return null;
  const cursor = { createdAt, id, order };
  return writeCursor(cursor) === text ? cursor : null;
}
