import { FieldError, ValidationFailed } from '../../../common/errors';
import { parseId } from '../../../common/http/requests/id.pipe';
import { parseIsoDateTimeOrDate } from '../../../common/http/requests/iso-date-time';
import {
  OptionalChoice,
  OptionalParameter,
  OptionalInteger,
} from '../../../common/http/requests/query-fields';
import type { HistoryQuery } from '../delivery-history.service';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../../deliveries/delivery.schema';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../webhook-event';

const DEFAULT_LIMIT = 10;
const MAX_PAGE_SIZE = 100;
const MAX_PAGE = 10_000_000;

export class HistoryRequest {
  @OptionalInteger('Page number', 1, MAX_PAGE, 1)
  page?: number;

  @OptionalInteger('Deliveries per page', 1, MAX_PAGE_SIZE, DEFAULT_LIMIT)
  limit?: number;

  @OptionalChoice('Only deliveries in this state', DELIVERY_STATUSES)
  status?: DeliveryStatus;

  @OptionalChoice('Only deliveries of this event', WEBHOOK_EVENTS)
  eventType?: WebhookEvent;

  @OptionalParameter('Only deliveries for messages from this device', '665f1c2ab7e1d4a9c0f3e812')
  deviceId?: string;

  @OptionalParameter(
    'Only events recorded at this time or later: ISO 8601, UTC without a zone. Ignored without end',
    '2026-01-31T09:00:00Z',
  )
  start?: string;

  @OptionalParameter(
    'Only events recorded at this time or earlier; same format as start. Ignored without start',
    '2026-02-01',
  )
  end?: string;

  @OptionalParameter('Only deliveries to this subscription, which may be deleted', '665f1c2ab7e1d4a9c0f3e812')
  webhookSubscriptionId?: string;

  /** @throws ValidationFailed with all invalid fields. */
  read(): HistoryQuery {
    const errors: FieldError[] = [];
    const read = <T>(
      field: 'deviceId' | 'webhookSubscriptionId' | 'start' | 'end',
      parse: (text: string) => T | null,
      error: string,
    ): T | undefined => {
      const text = this[field];
      if (text === undefined) return undefined;
      const value = parse(text);
      if (value === null) errors.push({ field, message: `${field} ${error}` });
      return value ?? undefined;
    };
    const invalidTime = 'must be a date or a time in ISO 8601, such as 2026-01-31T09:00:00Z';
    const device = read('deviceId', parseId, 'is not a valid id');
    const subscription = read('webhookSubscriptionId', parseId, 'is not a valid id');
    const start = read('start', parseTime, invalidTime);
    const end = read('end', parseTime, invalidTime);
    if (errors.length > 0) throw new ValidationFailed(errors);
    return {
      filter: {
        status: this.status,
        event: this.eventType,
        device,
        subscription,
        ...(start && end && { between: { start, end } }),
      },
      page: this.page ?? 1,
      limit: this.limit ?? DEFAULT_LIMIT,
    };
  }
}

/** A time without a zone is read as UTC. */
function parseTime(text: string): Date | null {
  return parseIsoDateTimeOrDate(text) ?? parseIsoDateTimeOrDate(`${text}Z`);
}
