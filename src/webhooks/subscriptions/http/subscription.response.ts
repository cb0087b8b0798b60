import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Count, Id, Time, OptionalTime } from '../../../common/http/responses/fields';
import type { SubscriptionWithSecret } from '../subscription-views.service';
import { timeoutOf } from '../../webhook-subscription.schema';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../webhook-event';

export class WebhookNoteResponse {
  @Time('When it was written')
  at!: Date;

  @ApiProperty({ description: 'What happened' })
  text!: string;
}

export class WebhookSubscriptionResponse {
  @Id('Subscription id')
  _id!: string;

  @Id('Owner account id')
  user!: string;

  @ApiPropertyOptional({ description: 'Label shown in the dashboard', example: 'Orders' })
  name?: string;

  @ApiProperty({
    description: 'Whether deliveries are attempted; the service pauses subscriptions that keep failing',
  })
  isActive!: boolean;

  @ApiProperty({
    enum: WEBHOOK_EVENTS,
    enumName: 'WebhookEvent',
    isArray: true,
    description: 'Events the subscription receives',
  })
  events!: WebhookEvent[];

  @ApiProperty({ description: 'URL events are posted to', example: 'https://example.com/hooks/sms' })
  deliveryUrl!: string;

  @ApiProperty({
    description:
      'Secret used to sign deliveries. Empty when its encryption key is missing: deliveries then wait until the ' +
      'secret is replaced or the key is restored',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  })
  signingSecret!: string;

  @ApiProperty({ type: 'integer', description: 'How long an attempt may take, in seconds', example: 15 })
  timeoutSeconds!: number;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'Headers that are sent with each request. A value is empty when its encryption key is missing',
    example: { Authorization: 'Bearer eyJhbGciOi' },
  })
  headers?: Readonly<Record<string, string>>;

  @ApiPropertyOptional({ type: [String], description: 'Only events of these devices, or of poolIds' })
  deviceIds?: string[];

  @ApiPropertyOptional({ type: [String], description: 'Only events of these pools, or of deviceIds' })
  poolIds?: string[];

  @Count('Deliveries that succeeded', 0)
  successfulDeliveryCount!: number;

  @Count('Deliveries that failed: out of attempts, refused, or cancelled by a pause', 0)
  deliveryFailureCount!: number;

  @Count('Attempts made, including retries', 0)
  deliveryAttemptCount!: number;

  @OptionalTime('Last attempt')
  lastDeliveryAttemptAt?: Date;

  @OptionalTime('Last successful attempt')
  lastDeliverySuccessAt?: Date;

  @OptionalTime('Last failed attempt')
  lastDeliveryFailureAt?: Date;

  @ApiPropertyOptional({
    type: [WebhookNoteResponse],
    description: 'Notes added by the service, such as why it paused the subscription',
  })
  notes?: WebhookNoteResponse[];

  @Time('When it was created')
  createdAt!: Date;

  @Time('When it was last updated')
  updatedAt!: Date;
}

export function toWebhookSubscriptionResponse({
  subscription,
  signingSecret,
  headers,
}: SubscriptionWithSecret): WebhookSubscriptionResponse {
  return {
    _id: subscription._id.toHexString(),
    user: subscription.user.toHexString(),
    name: subscription.name,
    isActive: subscription.isActive,
    events: subscription.events,
    deliveryUrl: subscription.deliveryUrl,
    signingSecret: signingSecret ?? '',
    timeoutSeconds: timeoutOf(subscription),
    headers,
    deviceIds: subscription.deviceIds?.map(String),
    poolIds: subscription.poolIds?.map(String),
    successfulDeliveryCount: subscription.successfulDeliveryCount,
    deliveryFailureCount: subscription.deliveryFailureCount,
    deliveryAttemptCount: subscription.deliveryAttemptCount,
    lastDeliveryAttemptAt: subscription.lastDeliveryAttemptAt,
    lastDeliverySuccessAt: subscription.lastDeliverySuccessAt,
    lastDeliveryFailureAt: subscription.lastDeliveryFailureAt,
    notes: subscription.notes.map(({ at, text }) => ({ at, text })),
    createdAt: subscription.createdAt,
    updatedAt: subscription.updatedAt,
  };
}
