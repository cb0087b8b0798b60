import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsMongoId,
  IsString,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
} from 'class-validator';
import {
  IsDictionary,
  NullableField,
  OptionalField,
  OptionalBoolean,
} from '../../../common/http/requests/fields';
import { StrictRequest } from '../../../common/http/requests/request-shape';
import { signingSecretError } from '../../signing/signature';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../webhook-event';
import {
  customHeadersError,
  MAX_CUSTOM_HEADERS,
  MAX_HEADER_NAME_LENGTH,
  MAX_HEADER_VALUE_LENGTH,
} from '../custom-headers';
import { MAX_TIMEOUT_SECONDS } from '../../webhook-subscription.schema';
import type { NewSubscription, SubscriptionPatch } from '../webhook-subscriptions.service';
import { PlainName } from '../../../common/http/requests/text-rules';

const MIN_SECRET_LENGTH = 20;
const MAX_SECRET_LENGTH = 512;
const MAX_NAME_LENGTH = 64;

const MAX_DEVICE_IDS = 100;
const MAX_POOL_IDS = 20;

const URL_SCHEMA = {
  type: String,
  description: 'Public http or https URL; private and loopback hosts are refused, redirects are not followed',
  example: 'https://example.com/hooks/sms',
};
const SECRET_SCHEMA = {
  type: String,
  minLength: MIN_SECRET_LENGTH,
  maxLength: MAX_SECRET_LENGTH,
  description: 'Signs every delivery. Standard Webhooks secrets (whsec_ and base64) are supported',
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
};
const EVENTS_SCHEMA = {
  enum: WEBHOOK_EVENTS,
  enumName: 'WebhookEvent',
  isArray: true,
  minItems: 1,
  description: 'Events that are delivered; SMS_STATUS_UPDATED is reserved and never emitted',
  example: ['MESSAGE_RECEIVED', 'MESSAGE_FAILED'],
};

/** May be empty, which is no label. */
const Name = () =>
  applyDecorators(
    ApiPropertyOptional({
      type: String,
      maxLength: MAX_NAME_LENGTH,
      description: 'Label shown in the dashboard',
      example: 'Orders',
    }),
    OptionalField(),
    IsString(),
    MaxLength(MAX_NAME_LENGTH),
  );
const Secret = () =>
  applyDecorators(
    IsString(),
    MinLength(MIN_SECRET_LENGTH),
    MaxLength(MAX_SECRET_LENGTH),
    ValidateBy({
      name: 'isSigningSecret',
      validator: {
        validate: (value) => typeof value !== 'string' || signingSecretError(value) === undefined,
        defaultMessage: ({ property = '', value } = {} as never) =>
          `${property} ${signingSecretError(String(value)) ?? ''}`,
      },
    }),
  );
const Events = () =>
  applyDecorators(
    // Duplicates are ignored.
    Transform(({ value }: { value: unknown }) =>
      Array.isArray(value) ? [...new Set<unknown>(value)] : value,
    ),
    IsArray(),
    ArrayMinSize(1, { message: '$property must name at least one event' }),
    IsIn(WEBHOOK_EVENTS, { each: true, message: `$property must be one of ${WEBHOOK_EVENTS.join(', ')}` }),
  );

const Timeout = () =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'integer',
      nullable: true,
      minimum: 1,
      maximum: MAX_TIMEOUT_SECONDS,
      description: 'How long an attempt may take, in seconds. Defaults to 15, as null does',
      example: 30,
    }),
    NullableField(),
    IsInt(),
    Min(1),
    Max(MAX_TIMEOUT_SECONDS),
  );
const Headers = () =>
  applyDecorators(
    ApiPropertyOptional({
      type: 'object',
      nullable: true,
      additionalProperties: { type: 'string', maxLength: MAX_HEADER_VALUE_LENGTH },
      maxProperties: MAX_CUSTOM_HEADERS,
      description:
        `Headers that are sent with each request: at most ${MAX_CUSTOM_HEADERS}, with names of up to ${MAX_HEADER_NAME_LENGTH} ` +
        'characters and values of printable ASCII. Headers that the service sets are refused. Replaces all; null removes them',
      example: { Authorization: 'Bearer eyJhbGciOi' },
    }),
    NullableField(),
    IsDictionary(MAX_CUSTOM_HEADERS, 0),
    ValidateBy({
      name: 'areCustomHeaders',
      validator: {
        validate: (value) => !isRecord(value) || customHeadersError(value) === undefined,
        defaultMessage: ({ property = '', value } = {} as never) =>
          `${property} ${isRecord(value) ? (customHeadersError(value) ?? '') : ''}`,
      },
    }),
  );
const Ids = (what: string, max: number) =>
  applyDecorators(
    ApiPropertyOptional({
      type: [String],
      nullable: true,
      minItems: 1,
      maxItems: max,
      description: `Only events of these ${what}. With deviceIds and poolIds, those of either. null removes the filter`,
      example: ['665f1c2ab7e1d4a9c0f3e812'],
    }),
    NullableField(),
    IsArray(),
    ArrayMinSize(1, { message: '$property must have at least one id; null removes the filter' }),
    ArrayMaxSize(max),
    IsMongoId({ each: true, message: '$property must be a list of valid ids' }),
  );

/** Fields of the response that a client may send back; they are ignored. */
const READ_ONLY = [
  '_id',
  'user',
  'successfulDeliveryCount',
  'deliveryFailureCount',
  'deliveryAttemptCount',
  'lastDeliveryAttemptAt',
  'lastDeliverySuccessAt',
  'lastDeliveryFailureAt',
  'notes',
  'createdAt',
  'updatedAt',
];

@StrictRequest(READ_ONLY)
export class WebhookSubscriptionRequest implements NewSubscription {
  @Name()
  @PlainName()
  name?: string;

  @ApiProperty(URL_SCHEMA)
  @IsString()
  deliveryUrl!: string;

  @ApiProperty(SECRET_SCHEMA)
  @Secret()
  signingSecret!: string;

  @ApiProperty(EVENTS_SCHEMA)
  @Events()
  events!: WebhookEvent[];

  @OptionalBoolean('false creates it paused. Defaults to true')
  isActive?: boolean;

  @Timeout()
  timeoutSeconds?: number | null;

  @Headers()
  headers?: Readonly<Record<string, string>> | null;

  @Ids('devices', MAX_DEVICE_IDS)
  deviceIds?: string[] | null;

  @Ids(
    'pools: messages sent to them or by their SIMs, and events of these SIMs and of their phones',
    MAX_POOL_IDS,
  )
  poolIds?: string[] | null;
}

/** Absent fields stay unchanged, and null too, except where it removes what is stored. */
@StrictRequest(READ_ONLY)
export class WebhookSubscriptionChangesRequest implements SubscriptionPatch {
  @Name()
  @PlainName()
  name?: string;

  @OptionalBoolean('true re-enables a paused subscription; false pauses it and aborts its pending deliveries')
  isActive?: boolean;

  @ApiPropertyOptional(URL_SCHEMA)
  @OptionalField()
  @IsString()
  deliveryUrl?: string;

  @ApiPropertyOptional({
    ...SECRET_SCHEMA,
    description: `${SECRET_SCHEMA.description}. The previous secrets, up to five, stay in webhook-signature for 24 hours; X-Signature uses the new one at once`,
  })
  @OptionalField()
  @Secret()
  signingSecret?: string;

  @ApiPropertyOptional({ ...EVENTS_SCHEMA, description: `Replaces the list. ${EVENTS_SCHEMA.description}` })
  @OptionalField()
  @Events()
  events?: WebhookEvent[];

  @Timeout()
  timeoutSeconds?: number | null;

  @Headers()
  headers?: Readonly<Record<string, string>> | null;

  @Ids('devices', MAX_DEVICE_IDS)
  deviceIds?: string[] | null;

  @Ids(
    'pools: messages sent to them or by their SIMs, and events of these SIMs and of their phones',
    MAX_POOL_IDS,
  )
  poolIds?: string[] | null;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
