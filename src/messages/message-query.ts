import type { Types } from 'mongoose';
import { FieldFault, ValidationFailed } from '../common/errors';
import { parseId } from '../common/http/id.pipe';
import { parseInstantOrDate } from '../common/http/instant';
import { normalisePhoneNumber } from '../common/phone-number';
import { type Order, type Position, readCursor } from './message-cursor';
import type { Direction } from './message.schema';
import type { MessageStatus } from './message-status';

export const DEFAULT_LIMIT = 50;
export const DEFAULT_PAGE = 1;
export const DEFAULT_ORDER: Order = 'desc';

/** A direction as clients write it. */
export type DirectionChoice = Direction | 'all';

/** The query of a message list as clients write it; types and choices are checked, rules are not. */
export interface RawMessageQuery {
  readonly cursor?: string;
  readonly limit?: number;
  readonly page?: number;
  readonly order?: Order;
  readonly from?: string;
  readonly to?: string;
  readonly search?: string;
  readonly status?: MessageStatus;
  readonly smsBatchId?: string;
  readonly direction?: DirectionChoice;
  readonly type?: DirectionChoice;
  readonly deviceIds?: string;
  readonly recipient?: string;
  readonly sender?: string;
}

/** Which messages of an account; all of them where nothing is said. */
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
  /** The ways one number can be stored. */
  readonly recipient?: readonly string[];
  readonly sender?: readonly string[];
}

/** Where a list begins: at the start of a page, counted from 1, or right after a message. */
export type ListStart = { readonly page: number } | { readonly after: Position };

export interface MessageQuery {
  readonly filter: MessageFilter;
  readonly order: Order;
  readonly limit: number;
  readonly start: ListStart;
}

type Fault = (field: keyof RawMessageQuery, text: string) => void;

/**
 * Checks the query of a message list against the rules that need no look at the database.
 * @throws ValidationFailed naming every field at fault.
 */
export function readMessageQuery(raw: RawMessageQuery): MessageQuery {
  const faults: FieldFault[] = [];
  const fault: Fault = (field, text) => {
    faults.push({ field, message: `${field} ${text}` });
  };
  const query = {
    filter: {
      from: readBound(raw, 'from', fault),
      to: readBound(raw, 'to', fault),
      search: raw.search,
      status: raw.status,
      direction: readDirection(raw, fault),
      smsBatch: readBatch(raw, fault),
      devices: readDevices(raw, fault),
      recipient: raw.recipient === undefined ? undefined : writingsOf(raw.recipient),
      sender: raw.sender === undefined ? undefined : writingsOf(raw.sender),
    },
    limit: raw.limit ?? DEFAULT_LIMIT,
    ...readPlace(raw, fault),
  };
  if (faults.length > 0) throw new ValidationFailed(faults);
  return query;
}

function readPlace(raw: RawMessageQuery, fault: Fault): Pick<MessageQuery, 'order' | 'start'> {
  const byPage = { order: raw.order ?? DEFAULT_ORDER, start: { page: raw.page ?? DEFAULT_PAGE } };
  if (raw.cursor === undefined) return byPage;
  if (raw.page !== undefined && raw.page !== DEFAULT_PAGE) {
    fault('page', 'cannot be given together with cursor; leave it out');
  }
  const cursor = readCursor(raw.cursor);
  if (!cursor) {
    fault('cursor', 'is not a nextCursor of this list; begin again without one');
    return byPage;
  }
  if (raw.order && raw.order !== cursor.order) {
    fault('order', `must be ${cursor.order}, the order the cursor was made with, or left out`);
  }
  return { order: cursor.order, start: { after: cursor } };
}

function readBound(raw: RawMessageQuery, field: 'from' | 'to', fault: Fault): Date | undefined {
  const text = raw[field];
  if (text === undefined) return undefined;
  const bound = parseInstantOrDate(text);
  if (!bound) {
    fault(
      field,
      'must be a date, or an ISO 8601 time with its zone (Z or +hh:mm, the + written %2B in a URL), such as 2026-01-31T09:00:00Z',
    );
  }
  return bound ?? undefined;
}

function readDirection({ direction, type }: RawMessageQuery, fault: Fault): Direction | undefined {
  if (direction && type && direction !== type) {
    fault('type', `must not contradict direction (${direction}); leave type out, it is deprecated`);
  }
  const choice = direction ?? type;
  return choice === 'all' ? undefined : choice;
}

function readBatch({ smsBatchId }: RawMessageQuery, fault: Fault): Types.ObjectId | undefined {
  if (smsBatchId === undefined) return undefined;
  const id = parseId(smsBatchId);
  if (!id) fault('smsBatchId', 'is not a valid id');
  return id ?? undefined;
}

function readDevices({ deviceIds }: RawMessageQuery, fault: Fault): Types.ObjectId[] | undefined {
  if (deviceIds === undefined) return undefined;
  const ids = new Map<string, Types.ObjectId>();
  for (const text of deviceIds.split(',')) {
    if (text.trim() === '') continue;
    const id = parseId(text.trim());
    if (!id) {
      fault('deviceIds', 'must be valid ids with commas between them');
      return undefined;
    }
    ids.set(id.toHexString(), id);
  }
  if (ids.size === 0) fault('deviceIds', 'must name a device, or be left out');
  return [...ids.values()];
}

/** How a number can be stored: as it is given, or as digits with or without a plus (which a URL turns into a space). */
function writingsOf(text: string): string[] {
  const number = normalisePhoneNumber(text);
  if (number === null) return [text];
  const digits = number.replace('+', '');
  return [...new Set([text, digits, `+${digits}`])];
}
