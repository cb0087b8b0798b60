import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMinSize, IsArray, IsIn, IsString, MaxLength, MinLength, ValidateBy } from 'class-validator';
import { OptionalField, OptionalFlag } from '../../common/http/fields';
import { secretFault } from '../signature';
import type { NewSubscription, SubscriptionEdits } from '../subscriptions.service';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../webhook-event';
import { PlainName } from '../../common/http/plain-name';

const SHORTEST_SECRET = 20;
const LONGEST_SECRET = 512;
const LONGEST_NAME = 64;

const URL_FACTS = {
  type: String,
  description:
    'http or https, publicly reachable; private and loopback hosts are refused, redirects not followed',
  example: 'https://example.com/hooks/sms',
};
const SECRET_FACTS = {
  type: String,
  minLength: SHORTEST_SECRET,
  maxLength: LONGEST_SECRET,
  description: 'Signs every delivery. Standard Webhooks secrets (whsec_ and base64) are understood',
  example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
};
const EVENTS_FACTS = {
  enum: WEBHOOK_EVENTS,
  enumName: 'WebhookEvent',
  isArray: true,
  minItems: 1,
  description: 'Events that are delivered; SMS_STATUS_UPDATED is reserved and never emitted',
  example: ['MESSAGE_RECEIVED', 'MESSAGE_FAILED'],
};

/** An empty name is one too: that is how a label is taken away again. */
const Name = () =>
  applyDecorators(
    ApiPropertyOptional({
      type: String,
      maxLength: LONGEST_NAME,
      description: 'Label shown in the dashboard',
      example: 'Orders',
    }),
    OptionalField(),
    IsString(),
    MaxLength(LONGEST_NAME),
  );
const Secret = () =>
  applyDecorators(
    IsString(),
    MinLength(SHORTEST_SECRET),
    MaxLength(LONGEST_SECRET),
    ValidateBy({
      name: 'isSigningSecret',
      validator: {
        validate: (value) => typeof value !== 'string' || secretFault(value) === undefined,
        defaultMessage: ({ property = '', value } = {} as never) =>
          `${property} ${secretFault(String(value)) ?? ''}`,
      },
    }),
  );
const Events = () =>
  applyDecorators(
    // Naming an event twice means what naming it once does.
    Transform(({ value }: { value: unknown }) =>
      Array.isArray(value) ? [...new Set<unknown>(value)] : value,
    ),
    IsArray(),
    ArrayMinSize(1, { message: '$property must name at least one event' }),
    IsIn(WEBHOOK_EVENTS, { each: true, message: `$property must be among ${WEBHOOK_EVENTS.join(', ')}` }),
  );

export class WebhookSubscriptionRequest implements NewSubscription {
  @Name()
  @PlainName()
  name?: string;

  @ApiProperty(URL_FACTS)
  @IsString()
  deliveryUrl!: string;

  @ApiProperty(SECRET_FACTS)
  @Secret()
  signingSecret!: string;

  @ApiProperty(EVENTS_FACTS)
  @Events()
  events!: WebhookEvent[];

  @OptionalFlag('false makes it paused; true is the default')
  isActive?: boolean;
}

/** Only what is sent is changed; null counts as not sent. */
export class WebhookSubscriptionChangesRequest implements SubscriptionEdits {
  @Name()
  @PlainName()
  name?: string;

  @OptionalFlag('true re-enables a paused subscription; false pauses it, and ends what is under way')
  isActive?: boolean;

  @ApiPropertyOptional(URL_FACTS)
  @OptionalField()
  @IsString()
  deliveryUrl?: string;

  @ApiPropertyOptional({
    ...SECRET_FACTS,
    description: `${SECRET_FACTS.description}. The one before signs beside it for 24 hours`,
  })
  @OptionalField()
  @Secret()
  signingSecret?: string;

  @ApiPropertyOptional({ ...EVENTS_FACTS, description: `Replaces the list. ${EVENTS_FACTS.description}` })
  @OptionalField()
  @Events()
  events?: WebhookEvent[];
}
