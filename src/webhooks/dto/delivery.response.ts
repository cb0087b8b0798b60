import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, Time, TimeIfKnown } from '../../common/http/fields';
import { MESSAGE_EVENTS, type MessageEvent } from '../../messages/message-event';
import type { HistoryPage, HistoryQuery } from '../delivery-history.service';
import {
  type Delivery,
  DELIVERY_STATUSES,
  type DeliveryStatus,
  ERROR_TYPES,
  type ErrorType,
} from '../delivery.schema';

const HttpStatusIfKnown = () =>
  ApiPropertyOptional({
    type: 'integer',
    description: 'Status code the endpoint answered; absent when it gave no answer',
    example: 200,
  });

/** One event on its way to one subscription (specification, "Webhook delivery record"). */
export class DeliveryResponse {
  @Id('Delivery record id')
  _id!: string;

  @Id('Subscription it belongs to')
  webhookSubscription!: string;

  @ApiProperty({ enum: MESSAGE_EVENTS, enumName: 'EmittedEvent', description: 'Event delivered' })
  event!: MessageEvent;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Exact JSON body posted to the endpoint',
  })
  payload!: Record<string, unknown>;

  @ApiProperty({
    enum: DELIVERY_STATUSES,
    enumName: 'DeliveryStatus',
    description: 'pending: not attempted yet; retrying: another attempt is to come',
  })
  computedStatus!: DeliveryStatus;

  @ApiPropertyOptional({ type: String, description: 'URL of the last attempt' })
  deliveryUrl?: string;

  @ApiProperty({ type: 'integer', description: 'Attempts made for this event', example: 1 })
  deliveryAttemptCount!: number;

  @TimeIfKnown('When the endpoint accepted the delivery')
  deliveredAt?: Date;

  @TimeIfKnown('Last attempt')
  lastDeliveryAttemptAt?: Date;

  @TimeIfKnown('When the next attempt is due')
  nextDeliveryAttemptAt?: Date;

  @TimeIfKnown('When retrying stopped')
  deliveryAttemptAbortedAt?: Date;

  @ApiPropertyOptional({
    enum: ERROR_TYPES,
    enumName: 'DeliveryErrorType',
    description: 'Whether what went wrong with the last attempt is worth another',
  })
  errorType?: ErrorType;

  @HttpStatusIfKnown()
  httpStatusCode?: number;

  @ApiPropertyOptional({ type: String, description: 'First 1000 characters of the last answer' })
  responseBody?: string;

  @ApiPropertyOptional({ type: String, description: 'Sent with every attempt, always the same' })
  idempotencyKey?: string;

  @Time('When the event was recorded')
  createdAt!: Date;
}

export class AttemptResponse {
  @Time('When it began')
  at!: Date;

  @ApiProperty({ type: 'integer', description: 'How long it took, in milliseconds', example: 120 })
  durationMs!: number;

  @HttpStatusIfKnown()
  httpStatusCode?: number;

  @ApiPropertyOptional({
    type: String,
    description: 'Why it failed; absent when it succeeded',
    example: 'The endpoint answered 503',
  })
  error?: string;
}

/** A delivery with its attempts one by one. */
export class DeliveryDetailResponse extends DeliveryResponse {
  @ApiProperty({ type: [AttemptResponse], description: 'The latest attempts, at most 20, oldest first' })
  attempts!: AttemptResponse[];
}

export class HistoryMetaResponse {
  @ApiProperty({ type: 'integer', description: 'Page number', example: 1 })
  page!: number;

  @ApiProperty({ type: 'integer', description: 'Deliveries on a page', example: 10 })
  limit!: number;

  @ApiProperty({ type: 'integer', description: 'Deliveries that match', example: 120 })
  total!: number;

  @ApiProperty({ type: 'integer', description: 'Pages in all', example: 12 })
  totalPages!: number;
}

/** A page of the delivery history; its list stands under a `data` of its own. */
export class HistoryResponse {
  @ApiProperty({ type: [DeliveryResponse], description: 'Deliveries, newest first' })
  data!: DeliveryResponse[];

  @ApiProperty({ type: HistoryMetaResponse, description: 'Where the page stands' })
  meta!: HistoryMetaResponse;
}

export function toDeliveryResponse(delivery: Delivery): DeliveryResponse {
  const id = delivery._id.toHexString();
  return {
    _id: id,
    webhookSubscription: delivery.webhookSubscription.toHexString(),
    event: delivery.event,
    payload: JSON.parse(delivery.body) as Record<string, unknown>,
    computedStatus: delivery.computedStatus,
    deliveryUrl: delivery.deliveryUrl,
    deliveryAttemptCount: delivery.deliveryAttemptCount,
    deliveredAt: delivery.deliveredAt,
    lastDeliveryAttemptAt: delivery.lastDeliveryAttemptAt,
    nextDeliveryAttemptAt: delivery.nextDeliveryAttemptAt,
    deliveryAttemptAbortedAt: delivery.deliveryAttemptAbortedAt,
    errorType: delivery.errorType,
    httpStatusCode: delivery.httpStatusCode,
    responseBody: delivery.responseBody,
    idempotencyKey: id,
    createdAt: delivery.createdAt,
  };
}

export function toDeliveryDetailResponse(delivery: Delivery): DeliveryDetailResponse {
  const attempts = delivery.attempts.map(({ at, durationMs, httpStatusCode, error }) => ({
    at,
    durationMs,
    httpStatusCode,
    error,
  }));
  return Object.assign(toDeliveryResponse(delivery), { attempts });
}

export function toHistoryResponse(
  { page, limit }: HistoryQuery,
  { deliveries, total }: HistoryPage,
): HistoryResponse {
  return {
    data: deliveries.map(toDeliveryResponse),
    meta: { page, limit, total, totalPages: Math.ceil(total / limit) },
  };
}
