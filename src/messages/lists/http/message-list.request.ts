import { Transform } from 'class-transformer';
import { OptionalText } from '../../../common/http/requests/fields';
import {
  Cursor,
  OptionalChoice,
  OptionalInteger,
  OptionalParameter,
} from '../../../common/http/requests/query-fields';
import { type Order, ORDERS } from '../message-cursor';
import {
  DEFAULT_LIMIT,
  DEFAULT_ORDER,
  DEFAULT_PAGE,
  type DirectionChoice,
  MAX_PAGE_SIZE,
  type RawMessageQuery,
} from '../message-query';
import { DIRECTIONS } from '../../message.schema';
import { MESSAGE_STATUSES, type MessageStatus } from '../../message-status';

const MAX_PAGE = 10_000_000;
const DIRECTION_CHOICES: readonly DirectionChoice[] = ['all', ...DIRECTIONS];

export class DeletedDevicesRequest {
  @OptionalChoice(
    'true: also messages of deleted devices, unless they were deleted with the device',
    ['true', 'false'],
    { default: 'false' },
  )
  includeDeletedDevices?: 'true' | 'false';
}

export class MessageFilterRequest extends DeletedDevicesRequest {
  @OptionalParameter(
    'Only messages created at this time or later: ISO 8601 with a zone, or a date, read as midnight in UTC',
    '2026-01-31T09:00:00Z',
  )
  from?: string;

  @OptionalParameter('Only messages created before this time; same format as from', '2026-02-01')
  to?: string;

  @OptionalText(
    'Matches the text, sender and recipient literally, ignoring case, and numbers in every spelling; does not find encrypted messages. Fails after 2 s',
    'invoice',
  )
  search?: string;

  @OptionalChoice('Delivery state; unknown also finds messages stored without one', MESSAGE_STATUSES)
  status?: MessageStatus;

  @OptionalChoice('true: only messages that were cancelled, whose status is failed. false: none of them', [
    'true',
    'false',
  ])
  cancelled?: 'true' | 'false';

  @OptionalChoice(
    'true: only messages that were not sent because their recipients are blocked, whose status is failed. false: none of them',
    ['true', 'false'],
  )
  suppressed?: 'true' | 'false';

  @OptionalParameter('Only messages of this batch', '665f1c2ab7e1d4a9c0f3e812')
  smsBatchId?: string;

  @OptionalChoice('Only sent or only received messages', DIRECTION_CHOICES, { default: 'all' })
  direction?: DirectionChoice;

  @OptionalChoice('Alias of direction', DIRECTION_CHOICES, { deprecated: true })
  type?: DirectionChoice;

  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.join(',') : value))
  @OptionalParameter(
    'Only messages of these devices: comma-separated ids, or the parameter repeated. Defaults to all devices of the account. A deleted device needs includeDeletedDevices',
    '665f1c2ab7e1d4a9c0f3e812,665f1c2ab7e1d4a9c0f3e813',
  )
  deviceIds?: string;

  @Transform(({ value }: { value: unknown }) => (Array.isArray(value) ? value.join(',') : value))
  @OptionalParameter(
    'The same as deviceIds; both must not name different devices',
    '665f1c2ab7e1d4a9c0f3e812',
  )
  deviceId?: string;

  @OptionalParameter(
    'Only messages sent to this number, in any spelling; a leading + is optional. A number without its country code is read with the default country of the account and the countries of its SIMs',
    '+447700900123',
  )
  recipient?: string;

  @OptionalParameter(
    'Only messages received from this sender: a number, as for recipient, a short code or a name (case-sensitive)',
    '+447700900123',
  )
  sender?: string;

  @OptionalText(
    'Only messages of the conversation with this number, sent and received; the number in any spelling, as for recipient',
    '+447700900123',
  )
  contactNumber?: string;
}

export class MessageListRequest extends MessageFilterRequest implements RawMessageQuery {
  @Cursor('nextCursor of the previous page. Counts are omitted; page must be 1 or omitted')
  cursor?: string;

  @OptionalInteger('Messages per page', 1, MAX_PAGE_SIZE, DEFAULT_LIMIT)
  limit?: number;

  @OptionalInteger('Page number. With a cursor, 1 or omitted', 1, MAX_PAGE, DEFAULT_PAGE)
  page?: number;

  @OptionalChoice(
    "Order by createdAt: newest first or oldest first. With a cursor, the cursor's order or omitted",
    ORDERS,
    { default: DEFAULT_ORDER },
  )
  order?: Order;
}

export class MessageExportRequest extends MessageFilterRequest {
  @OptionalChoice('Order by createdAt: newest first or oldest first', ORDERS, { default: DEFAULT_ORDER })
  order?: Order;
}
