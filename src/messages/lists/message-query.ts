import type { Types } from 'mongoose';
import type { Country } from '../../common/peer-number';
import { FieldErrors } from '../../common/errors';
import { INVALID_ID, parseId } from '../../common/http/requests/id.pipe';
import { parseIsoDateTimeOrDate } from '../../common/http/requests/iso-date-time';
import { type Order, type Position, decodeCursor } from './message-cursor';
import type { Direction } from '../message.schema';
import type { MessageStatus } from '../message-status';
import { distinctIds } from '../../common/documents';

export const DEFAULT_LIMIT = 50;
export const DEFAULT_PAGE = 1;
export const DEFAULT_ORDER: Order = 'desc';
export const MAX_PAGE_SIZE = 100;

export type DirectionChoice = Direction | 'all';

/** The query parameters of a message list, with types and enums already validated. */
export interface RawMessageQuery {
  readonly includeDeletedDevices?: 'true' | 'false';
  readonly from?: string;
  readonly to?: string;
  readonly search?: string;
  readonly status?: MessageStatus;
  readonly cancelled?: 'true' | 'false';
  readonly suppressed?: 'true' | 'false';
  readonly smsBatchId?: string;
  readonly direction?: DirectionChoice;
  /** Alias of `direction`. */
  readonly type?: DirectionChoice;
  /** Ids with commas between them. */
  readonly deviceIds?: string;
  /** Alias of `deviceIds`. */
  readonly deviceId?: string;
  readonly recipient?: string;
  readonly sender?: string;
  readonly contactNumber?: string;
  readonly cursor?: string;
  readonly limit?: number;
  readonly page?: number;
  readonly order?: Order;
}

/** Which messages of an account to list; an absent field does not filter. */
export interface MessageFilter {
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
  readonly search?: string;
  readonly status?: MessageStatus;
  /** Only cancelled messages, or none of them. */
  readonly isCancelled?: boolean;
  /** Only messages that were not sent to blocked recipients, or none of them. */
  readonly isSuppressed?: boolean;
  readonly direction?: Direction;
  readonly smsBatch?: Types.ObjectId;
  readonly devices?: readonly Types.ObjectId[];
  /** Whether to list the messages of deleted devices too, except of those that were deleted with their messages. */
  readonly includesDeletedDevices?: boolean;
  /** In any spelling. */
  readonly recipient?: string;
  readonly sender?: string;
  /** The number of either direction, in any spelling. */
  readonly peerNumber?: string;
  /** Where these numbers, and one in `search`, may have been dialled without a country code. */
  readonly countries?: readonly Country[];
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
      isCancelled: raw.cancelled && raw.cancelled === 'true',
      isSuppressed: raw.suppressed && raw.suppressed === 'true',
      direction: readDirection(raw, errors),
      smsBatch: errors.parse('smsBatchId', raw.smsBatchId, parseId, INVALID_ID),
      devices: readDevices(raw, errors),
      includesDeletedDevices: raw.includeDeletedDevices === 'true' || undefined,
      recipient: raw.recipient,
      sender: raw.sender,
      peerNumber: raw.contactNumber,
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

function readDevices(raw: RawMessageQuery, errors: FieldErrors): Types.ObjectId[] | undefined {
  const ids = readIds('deviceIds', raw.deviceIds, errors);
  const alias = readIds('deviceId', raw.deviceId, errors);
  if (ids && alias && setOf(ids) !== setOf(alias))
    errors.add('deviceId', 'must not name other devices than deviceIds; leave one of them out');
  return ids ?? alias;
}

const setOf = (ids: readonly Types.ObjectId[]) =>
  ids
    .map((id) => id.toHexString())
    .sort()
    .join(' ');

function readIds(field: string, list: string | undefined, errors: FieldErrors): Types.ObjectId[] | undefined {
  if (list === undefined) return undefined;
  const texts = list.split(',').filter((text) => text.trim() !== '');
  const ids = texts.map((text) => parseId(text.trim())).filter((id) => id !== null);
  if (texts.length === 0) errors.add(field, 'must name a device, or be left out');
  else if (ids.length < texts.length) errors.add(field, 'must be valid ids with commas between them');
  return distinctIds(ids);
}
