import type { Types } from 'mongoose';
import { contactNumber, contactNumberForms } from '../../common/contact-number';
import { FieldErrors } from '../../common/errors';
import { INVALID_ID, parseId } from '../../common/http/requests/id.pipe';
import { parseIsoDateTimeOrDate } from '../../common/http/requests/iso-date-time';
import {
  DEFAULT_LIMIT,
  DEFAULT_ORDER,
  DEFAULT_PAGE,
  type MessageListRequest,
} from '../dto/message-list.request';
import { type Order, type Position, decodeCursor } from './message-cursor';
import type { Direction } from '../message.schema';
import type { MessageStatus } from '../message-status';
import { distinctIds } from '../../common/documents';

/** The query parameters of a message list, with types and enums already validated. */
export type RawMessageQuery = Readonly<MessageListRequest>;

/** Which messages of an account to list; an absent field does not filter. */
export interface MessageFilter {
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly search?: string;
  readonly status?: MessageStatus;
  readonly direction?: Direction;
  readonly smsBatch?: Types.ObjectId;
  readonly devices?: readonly Types.ObjectId[];
  /** All forms in which the number may be stored, the given one first; see `contactNumberForms`. */
  readonly recipient?: readonly string[];
  readonly sender?: readonly string[];
  /** The stored number of either direction. */
  readonly contactNumber?: string;
}

/** Start of a list: a page number, counted from 1, or the position of the message before. */
export type ListStart = { readonly page: number } | { readonly after: Position };

export interface MessageQuery {
  readonly filter: MessageFilter;
  readonly order: Order;
  readonly limit: number;
  readonly start: ListStart;
}

export const INVALID_BOUND =
  'must be a date, or an ISO 8601 time with its zone (Z or +hh:mm, the + written %2B in a URL), such as 2026-01-31T09:00:00Z';
export const INVALID_CURSOR = 'is not a nextCursor of this list; begin again without one';

/** @throws ValidationFailed with every invalid field. */
export function parseMessageQuery(raw: RawMessageQuery): MessageQuery {
  const errors = new FieldErrors();
  const query = {
    filter: {
      from: errors.parse('from', raw.from, parseIsoDateTimeOrDate, INVALID_BOUND),
      to: errors.parse('to', raw.to, parseIsoDateTimeOrDate, INVALID_BOUND),
      search: raw.search,
      status: raw.status,
      direction: readDirection(raw, errors),
      smsBatch: errors.parse('smsBatchId', raw.smsBatchId, parseId, INVALID_ID),
      devices: readDevices(raw, errors),
      recipient: raw.recipient === undefined ? undefined : contactNumberForms(raw.recipient, []),
      sender: raw.sender === undefined ? undefined : contactNumberForms(raw.sender, []),
      contactNumber: raw.contactNumber === undefined ? undefined : contactNumber(raw.contactNumber),
    },
    limit: raw.limit ?? DEFAULT_LIMIT,
    ...readPlace(raw, errors),
  };
  errors.throwIfAny();
  return query;
}

function readPlace(raw: RawMessageQuery, errors: FieldErrors): Pick<MessageQuery, 'order' | 'start'> {
  const byPage = { order: raw.order ?? DEFAULT_ORDER, start: { page: raw.page ?? DEFAULT_PAGE } };
  if (raw.cursor === undefined) return byPage;
  if (raw.page !== undefined && raw.page !== DEFAULT_PAGE) {
    errors.add('page', 'cannot be given together with cursor; leave it out');
  }
  const cursor = errors.parse('cursor', raw.cursor, decodeCursor, INVALID_CURSOR);
  if (!cursor) return byPage;
  if (raw.order && raw.order !== cursor.order) {
    errors.add('order', `must be ${cursor.order}, the order the cursor was made with, or left out`);
  }
  return { order: cursor.order, start: { after: cursor } };
}

function readDirection({ direction, type }: RawMessageQuery, errors: FieldErrors): Direction | undefined {
  if (direction && type && direction !== type) {
    errors.add('type', `must not contradict direction (${direction}); leave type out, it is deprecated`);
  }
  const choice = direction ?? type;
  return choice === 'all' ? undefined : choice;
}

function readDevices({ deviceIds }: RawMessageQuery, errors: FieldErrors): Types.ObjectId[] | undefined {
  if (deviceIds === undefined) return undefined;
  const texts = deviceIds.split(',').filter((text) => text.trim() !== '');
  const ids = texts.map((text) => parseId(text.trim())).filter((id) => id !== null);
  if (texts.length === 0) errors.add('deviceIds', 'must name a device, or be left out');
  else if (ids.length < texts.length) errors.add('deviceIds', 'must be valid ids with commas between them');
  return distinctIds(ids);
}
