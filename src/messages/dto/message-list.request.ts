import { Transform } from 'class-transformer';
import { OptionalText } from '../../common/http/fields';
import { OptionalChoice, OptionalParameter, OptionalWholeNumber } from '../../common/http/query-fields';
import { type Order, ORDERS } from '../message-cursor';
import {
  DEFAULT_LIMIT,
  DEFAULT_ORDER,
  DEFAULT_PAGE,
  type DirectionChoice,
  type RawMessageQuery,
} from '../message-query';
import { DIRECTIONS } from '../message.schema';
import { MESSAGE_STATUSES, type MessageStatus } from '../message-status';

const MOST_PER_PAGE = 100;
const LAST_PAGE = 10_000_000;
const DIRECTION_CHOICES: readonly DirectionChoice[] = ['all', ...DIRECTIONS];

/** The query parameters of the message list. */
export class MessageListRequest implements RawMessageQuery {
  @OptionalParameter(
    'nextCursor of the page before: reads the page after it, and leaves out the counts. Beside it, page may only be 1',
    'MTc2OTg2MDgwMDAwMC42NjVmMWMyYWI3ZTFkNGE5YzBmM2U4MTIuZGVzYw',
  )
  cursor?: string;

  @OptionalWholeNumber('Messages on a page', 1, MOST_PER_PAGE, DEFAULT_LIMIT)
  limit?: number;

  @OptionalWholeNumber('Page number. With a cursor, 1 or left out', 1, LAST_PAGE, DEFAULT_PAGE)
  page?: number;

  @OptionalChoice(
    "By createdAt: newest first, or oldest first. With a cursor, the cursor's own order or none",
    ORDERS,
    { default: DEFAULT_ORDER },
  )
  order?: Order;

  @OptionalParameter(
    'Only messages created at this time or later: ISO 8601 with a zone, or a date, read as midnight in UTC',
    '2026-01-31T09:00:00Z',
  )
  from?: string;

  @OptionalParameter('Only messages created before this time; written as from is', '2026-02-01')
  to?: string;

  @OptionalText(
    "Matches the text and the other party's number, in any case, literally; encrypted messages are never found. Takes at most 2 s",
    'invoice',
  )
  search?: string;

  @OptionalChoice('Delivery state; unknown also finds messages stored without one', MESSAGE_STATUSES)
  status?: MessageStatus;

  @OptionalParameter('Only messages of this batch', '665f1c2ab7e1d4a9c0f3e812')
  smsBatchId?: string;

  @OptionalChoice('Only messages sent, or only those received', DIRECTION_CHOICES, { default: 'all' })
  direction?: DirectionChoice;

  @OptionalChoice('Alias of direction', DIRECTION_CHOICES, { deprecated: true })
  type?: DirectionChoice;

  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.join(',') : value))
  @OptionalParameter(
    'Only messages of these devices: ids with commas between them, or the parameter repeated. Without it, of all devices of the account',
    '665f1c2ab7e1d4a9c0f3e812,665f1c2ab7e1d4a9c0f3e813',
  )
  deviceIds?: string;

  @OptionalParameter(
    'Only messages sent to this number, compared as stored: separators do not count, nor does a leading +',
    '+447700900123',
  )
  recipient?: string;

  @OptionalParameter(
    'Only messages received from this sender, compared as the phone reported it: a number, a short code or a name',
    '+447700900123',
  )
  sender?: string;
}
