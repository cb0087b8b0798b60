import type { StreamableFile } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, Time, OptionalTime } from '../../../common/http/responses/fields';
import { jsonPage, streamJson } from '../../../common/http/responses/json-stream';
import { EMITTED_EVENTS, type EmittedEvent } from '../../webhook-event';
import type { DeliveryWithDevice, HistoryQuery, HistoryPage } from '../delivery-history.service';
import {
  type Delivery,
  DELIVERY_STATUSES,
  type DeliveryStatus,
  ERROR_TYPES,
  type ErrorType,
} from '../../deliveries/delivery.schema';

const HttpStatusIfKnown = () =>
  ApiPropertyOptional({
    type: 'integer',
    description: 'Status code of the response; absent when there was none',
    example: 200,
  });

class DeliveryDeviceResponse {
  @Id('Device id')
  _id!: string;

  @ApiProperty({ description: 'Device brand', example: 'google' })
  brand!: string;

  @ApiProperty({ description: 'Device model', example: 'Pixel 8' })
  model!: string;

  @ApiPropertyOptional({ description: "Owner's label for the device", example: 'Front desk' })
  name?: string;
}

class DeliveryMessageResponse {
  @Id('Message id')
  _id!: string;

  @ApiPropertyOptional({ description: 'Sender; for received messages' })
  sender?: string;

  @ApiPropertyOptional({ description: 'Recipient; for sent messages' })
  recipient?: string;

  @ApiPropertyOptional({ description: 'Batch of the message' })
  smsBatch?: string;

  @ApiPropertyOptional({ description: 'Status of the message at the event', example: 'sent' })
  status?: string;
}

export class DeliveryResponse {
  @Id('Delivery record id')
  _id!: string;

  @Id('Subscription it belongs to')
  webhookSubscription!: string;

  @ApiProperty({ enum: EMITTED_EVENTS, enumName: 'EmittedEvent', description: 'Event delivered' })
  event!: EmittedEvent;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Exact JSON body posted to the endpoint',
  })
  payload!: Record<string, unknown>;

  @ApiProperty({
    enum: DELIVERY_STATUSES,
    enumName: 'DeliveryStatus',
    description: 'pending: not attempted yet; retrying: another attempt is scheduled',
  })
  computedStatus!: DeliveryStatus;

  @ApiPropertyOptional({ description: 'URL of the last attempt' })
  deliveryUrl?: string;

  @ApiProperty({ type: 'integer', description: 'Attempts made', example: 1 })
  deliveryAttemptCount!: number;

  @OptionalTime('When the endpoint accepted the delivery')
  deliveredAt?: Date;

  @OptionalTime('Last attempt')
  lastDeliveryAttemptAt?: Date;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'How long the last attempt took, in milliseconds',
    example: 120,
  })
  lastAttemptDurationMs?: number;

  @OptionalTime('When the next attempt is due')
  nextDeliveryAttemptAt?: Date;

  @OptionalTime('When retrying stopped')
  deliveryAttemptAbortedAt?: Date;

  @ApiPropertyOptional({
    enum: ERROR_TYPES,
    enumName: 'DeliveryErrorType',
    description: 'Whether the error of the last attempt is retried',
  })
  errorType?: ErrorType;

  @HttpStatusIfKnown()
  httpStatusCode?: number;

  @ApiPropertyOptional({ description: 'First 1,000 characters of the last response body' })
  responseBody?: string;

  @ApiPropertyOptional({ description: 'Idempotency key, the same for every attempt' })
  idempotencyKey?: string;

  @Time('When the event was recorded')
  createdAt!: Date;

  @ApiPropertyOptional({ description: 'Device of the event' })
  deviceData?: DeliveryDeviceResponse;

  @ApiPropertyOptional({ description: 'The message; absent for events of devices and SIMs' })
  smsData?: DeliveryMessageResponse;
}

export class AttemptResponse {
  @Time('When it began')
  at!: Date;

  @ApiProperty({ type: 'integer', description: 'How long it took, in milliseconds', example: 120 })
  durationMs!: number;

  @HttpStatusIfKnown()
  httpStatusCode?: number;

  @ApiPropertyOptional({
    description: 'Why it failed; absent when it succeeded',
    example: 'The endpoint answered 503',
  })
  error?: string;
}

export class DeliveryDetailResponse extends DeliveryResponse {
  @ApiProperty({ type: [AttemptResponse], description: 'The latest attempts, at most 20, oldest first' })
  attempts!: AttemptResponse[];
}

export class HistoryMetaResponse {
  @ApiProperty({ type: 'integer', description: 'Page number', example: 1 })
  page!: number;

  @ApiProperty({ type: 'integer', description: 'Deliveries per page', example: 10 })
  limit!: number;

  @ApiProperty({ type: 'integer', description: 'Number of deliveries that match', example: 120 })
  total!: number;

  @ApiProperty({ type: 'integer', description: 'Number of pages', example: 12 })
  totalPages!: number;
}

/** A page of the delivery history; the list is nested in another `data`. */
export class HistoryResponse {
  @ApiProperty({ type: [DeliveryResponse], description: 'Deliveries, newest first' })
  data!: DeliveryResponse[];

  @ApiProperty({ description: 'Pagination of the history' })
  meta!: HistoryMetaResponse;
}

export function toDeliveryResponse({ delivery, device }: DeliveryWithDevice): DeliveryResponse {
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
    lastAttemptDurationMs: delivery.attempts.at(-1)?.durationMs,
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
    smsData: delivery.message && {
      _id: delivery.message.toHexString(),
      sender: stringOf(payload.sender),
      recipient: stringOf(payload.recipient),
      smsBatch: stringOf(payload.smsBatchId),
      status: stringOf(payload.status),
    },
  };
}

/** An oversized body is not loaded; returns the fields that are known from the record. */
function readPayload({ _id, message, device, webhookSubscription, event, body }: Delivery) {
  if (body !== '') return JSON.parse(body) as Record<string, unknown>;
  return {
    ...(message && { smsId: message.toHexString() }),
    ...(device && { deviceId: device.toHexString() }),
    webhookSubscriptionId: webhookSubscription.toHexString(),
    webhookEvent: event,
    idempotencyKey: _id.toHexString(),
  };
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function toDeliveryDetailResponse(view: DeliveryWithDevice): DeliveryDetailResponse {
  const attempts = view.delivery.attempts.map(({ at, durationMs, httpStatusCode, error }) => ({
    at,
    durationMs,
    httpStatusCode,
    error,
  }));
  return Object.assign(toDeliveryResponse(view), { attempts });
}

/** Returns a page of the history; streams it when it contains large deliveries. */
export async function toHistoryResponse(
  { page, limit }: HistoryQuery,
  { items, total }: HistoryPage,
): Promise<HistoryResponse | StreamableFile> {
  const meta = { page, limit, total, totalPages: Math.ceil(total / limit) };
  if (Symbol.iterator in items) return { data: items.map(toDeliveryResponse), meta };
  return streamJson(nestedJson(jsonPage(items, toDeliveryResponse, meta)));
}

async function* nestedJson(page: AsyncIterable<string>): AsyncGenerator<string> {
  yield '{"data":';
  yield* page;
  yield '}';
}
