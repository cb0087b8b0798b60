import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, Time, TimeIfKnown } from '../../common/http/fields';
import { MESSAGE_EVENTS, type MessageEvent } from '../../messages/message-event';
import type { DeliveryView, HistoryPage, HistoryQuery } from '../delivery-history.service';
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

/** What people know the device of a message by. */
class DeliveryDeviceResponse {
  @Id('Device id')
  _id!: string;

  @ApiProperty({ type: String, description: 'Device brand', example: 'google' })
  brand!: string;

  @ApiProperty({ type: String, description: 'Device model', example: 'Pixel 8' })
  model!: string;

  @ApiPropertyOptional({ type: String, description: "Owner's label for the device", example: 'Front desk' })
  name?: string;
}

/** What the event says of its message, apart from the text. */
class DeliveryMessageResponse {
  @Id('Message id')
  _id!: string;

  @ApiPropertyOptional({ type: String, description: 'Who sent it; on received messages' })
  sender?: string;

  @ApiPropertyOptional({ type: String, description: 'Who it was sent to; on sent messages' })
  recipient?: string;

  @ApiPropertyOptional({ type: String, description: 'The batch it was sent in' })
  smsBatch?: string;

  @ApiPropertyOptional({ type: String, description: 'Its state at the event', example: 'sent' })
  status?: string;
}

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

  @ApiPropertyOptional({ type: DeliveryDeviceResponse, description: 'Device of the message' })
  deviceData?: DeliveryDeviceResponse;

  @ApiProperty({ type: DeliveryMessageResponse, description: 'The message' })
  smsData!: DeliveryMessageResponse;
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

export function toDeliveryResponse({ delivery, device }: DeliveryView): DeliveryResponse {
  const id = delivery._id.toHexString();
  const payload = readPayload(delivery);
  return {
    _id: id,
    webhookSubscription: delivery.webhookSubscription.toHexString(),
    event: delivery.event,
    payload,
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
    deviceData: device && {
      _id: device._id.toHexString(),
      brand: device.brand,
      model: device.model,
      name: device.name,
    },
    smsData: {
      _id: delivery.message.toHexString(),
      sender: textOf(payload.sender),
      recipient: textOf(payload.recipient),
      smsBatch: textOf(payload.smsBatchId),
      status: textOf(payload.status),
    },
  };
}

/** The body of a delivery too large to be read is empty: what else is known of it stands in for it. */
function readPayload({ _id, message, device, webhookSubscription, event, body }: Delivery) {
  if (body !== '') return JSON.parse(body) as Record<string, unknown>;
  return {
    smsId: message.toHexString(),
    deviceId: device.toHexString(),
    webhookSubscriptionId: webhookSubscription.toHexString(),
    webhookEvent: event,
    idempotencyKey: _id.toHexString(),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function toDeliveryDetailResponse(view: DeliveryView): DeliveryDetailResponse {
  const attempts = view.delivery.attempts.map(({ at, durationMs, httpStatusCode, error }) => ({
    at,
    durationMs,
    httpStatusCode,
    error,
  }));
  return Object.assign(toDeliveryResponse(view), { attempts });
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
