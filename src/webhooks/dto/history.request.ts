import { FieldFault, ValidationFailed } from '../../common/errors';
import { parseId } from '../../common/http/id.pipe';
import { parseInstantOrDate } from '../../common/http/instant';
import { OptionalChoice, OptionalParameter, OptionalWholeNumber } from '../../common/http/query-fields';
import type { HistoryQuery } from '../delivery-history.service';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../delivery.schema';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../webhook-event';

const DEFAULT_LIMIT = 10;
const MOST_PER_PAGE = 100;
const LAST_PAGE = 10_000_000;

/** The query parameters of the delivery history. */
export class HistoryRequest {
  @OptionalWholeNumber('Page number', 1, LAST_PAGE, 1)
  page?: number;

  @OptionalWholeNumber('Deliveries on a page', 1, MOST_PER_PAGE, DEFAULT_LIMIT)
  limit?: number;

  @OptionalChoice('Only deliveries in this state', DELIVERY_STATUSES)
  status?: DeliveryStatus;

  @OptionalChoice('Only deliveries of this event', WEBHOOK_EVENTS)
  eventType?: WebhookEvent;

  @OptionalParameter('Only deliveries for messages from this device', '665f1c2ab7e1d4a9c0f3e812')
  deviceId?: string;

  @OptionalParameter(
    'Only events recorded at this time or later: ISO 8601, UTC where no zone is named. Applied only together with end',
    '2026-01-31T09:00:00Z',
  )
  start?: string;

  @OptionalParameter('Only events recorded at this time or before; written as start is', '2026-02-01')
  end?: string;

  @OptionalParameter('Only deliveries to this subscription, deleted or not', '665f1c2ab7e1d4a9c0f3e812')
  webhookSubscriptionId?: string;

  /** @throws ValidationFailed naming every field at fault. */
  read(): HistoryQuery {
    const faults: FieldFault[] = [];
    const read = <T>(
      field: 'deviceId' | 'webhookSubscriptionId' | 'start' | 'end',
      parse: (text: string) => T | null,
      fault: string,
    ): T | undefined => {
      const text = this[field];
      if (text === undefined) return undefined;
      const value = parse(text);
      if (value === null) faults.push({ field, message: `${field} ${fault}` });
      return value ?? undefined;
    };
    const notATime = 'must be a date or a time in ISO 8601, such as 2026-01-31T09:00:00Z';
    const device = read('deviceId', parseId, 'is not a valid id');
    const subscription = read('webhookSubscriptionId', parseId, 'is not a valid id');
    const start = read('start', parseTime, notATime);
    const end = read('end', parseTime, notATime);
    if (faults.length > 0) throw new ValidationFailed(faults);
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

/** The specification asks for ISO 8601 and no more: a time without a zone is one in UTC. */
function parseTime(text: string): Date | null {
  return parseInstantOrDate(text) ?? parseInstantOrDate(`${text}Z`);
}
