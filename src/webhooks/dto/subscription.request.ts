import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMinSize, IsArray, IsIn, IsString, MaxLength, MinLength, ValidateBy } from 'class-validator';
import { OptionalField, OptionalBoolean } from '../../common/http/requests/fields';
import { signingSecretError } from '../deliveries/attempts/signature';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../relay/webhook-event';
import { PlainName } from '../../common/http/requests/plain-name';

const MIN_SECRET_LENGTH = 20;
const MAX_SECRET_LENGTH = 512;
const MAX_NAME_LENGTH = 64;

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

export class WebhookSubscriptionRequest {
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
}

/** Absent fields and null stay unchanged. */
export class WebhookSubscriptionChangesRequest {
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
}
