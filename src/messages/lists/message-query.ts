import type { Types } from 'mongoose';
import { contactNumber, contactNumberForms } from '../../common/contact-number';
import { FieldError, ValidationFailed } from '../../common/errors';
import { parseId } from '../../common/http/requests/id.pipe';
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

type AddError = (field: keyof RawMessageQuery, text: string) => void;

/**
 * Parses and validates the query parameters of a message list.
 * @throws ValidationFailed with every invalid field.
 */
export function parseMessageQuery(raw: RawMessageQuery): MessageQuery {
  const errors: FieldError[] = [];
  const addError: AddError = (field, text) => {
    errors.push({ field, message: `${field} ${text}` });
  };
  const query = {
    filter: {
      from: readBound(raw, 'from', addError),
      to: readBound(raw, 'to', addError),
      search: raw.search,
      status: raw.status,
      direction: readDirection(raw, addError),
      smsBatch: readBatch(raw, addError),
      devices: readDevices(raw, addError),
      recipient: raw.recipient === undefined ? undefined : contactNumberForms(raw.recipient, []),
      sender: raw.sender === undefined ? undefined : contactNumberForms(raw.sender, []),
      contactNumber: raw.contactNumber === undefined ? undefined : contactNumber(raw.contactNumber),
    },
    limit: raw.limit ?? DEFAULT_LIMIT,
    ...readPlace(raw, addError),
  };
  if (errors.length > 0) throw new ValidationFailed(errors);
  return query;
}

function readPlace(raw: RawMessageQuery, addError: AddError): Pick<MessageQuery, 'order' | 'start'> {
  const byPage = { order: raw.order ?? DEFAULT_ORDER, start: { page: raw.page ?? DEFAULT_PAGE } };
  if (raw.cursor === undefined) return byPage;
  if (raw.page !== undefined && raw.page !== DEFAULT_PAGE) {
    addError('page', 'cannot be given together with cursor; leave it out');
  }
  const cursor = decodeCursor(raw.cursor);
  if (!cursor) {
    addError('cursor', 'is not a nextCursor of this list; begin again without one');
    return byPage;
  }
  if (raw.order && raw.order !== cursor.order) {
    addError('order', `must be ${cursor.order}, the order the cursor was made with, or left out`);
  }
  return { order: cursor.order, start: { after: cursor } };
}

function readBound(raw: RawMessageQuery, field: 'from' | 'to', addError: AddError): Date | undefined {
  const text = raw[field];
  if (text === undefined) return undefined;
  const bound = parseIsoDateTimeOrDate(text);
  if (!bound) {
    addError(
      field,
      'must be a date, or an ISO 8601 time with its zone (Z or +hh:mm, the + written %2B in a URL), such as 2026-01-31T09:00:00Z',
    );
  }
  return bound ?? undefined;
}

function readDirection({ direction, type }: RawMessageQuery, addError: AddError): Direction | undefined {
  if (direction && type && direction !== type) {
    addError('type', `must not contradict direction (${direction}); leave type out, it is deprecated`);
  }
  const choice = direction ?? type;
  return choice === 'all' ? undefined : choice;
}

function readBatch({ smsBatchId }: RawMessageQuery, addError: AddError): Types.ObjectId | undefined {
  if (smsBatchId === undefined) return undefined;
  const id = parseId(smsBatchId);
  if (!id) addError('smsBatchId', 'is not a valid id');
  return id ?? undefined;
}

function readDevices({ deviceIds }: RawMessageQuery, addError: AddError): Types.ObjectId[] | undefined {
  if (deviceIds === undefined) return undefined;
  const ids = new Map<string, Types.ObjectId>();
  for (const text of deviceIds.split(',')) {
    if (text.trim() === '') continue;
    const id = parseId(text.trim());
    if (!id) {
      addError('deviceIds', 'must be valid ids with commas between them');
      return undefined;
    }
    ids.set(id.toHexString(), id);
  }
  if (ids.size === 0) addError('deviceIds', 'must name a device, or be left out');
  return [...ids.values()];
}
