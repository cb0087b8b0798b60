import type { Types } from 'mongoose';
import { parseId } from '../../common/http/requests/id.pipe';
import type { Contact } from './contact.schema';

/** A position in a list of contacts: after the one with this sort key and id. */
export type ContactPosition = Pick<Contact, 'sortKey' | '_id'>;

export const encodeContactCursor = ({ sortKey, _id }: { sortKey: string; _id: Types.ObjectId }): string =>
  Buffer.from(`${_id.toHexString()}.${sortKey}`).toString('base64url');

/** @returns null unless `encodeContactCursor` wrote this text. */
export function decodeContactCursor(text: string): ContactPosition | null {
  const decoded = Buffer.from(text, 'base64url').toString();
  const id = parseId(decoded.slice(0, 24));
  if (!id || decoded.charAt(24) !== '.') return null;
  const position = { _id: id, sortKey: decoded.slice(25) };
  return encodeContactCursor(position) === text ? position : null;
}
