import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Id, Time, TimeIfKnown } from '../../common/http/fields';
import type { SubscriptionView } from '../subscriptions.service';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../webhook-event';

const Count = (description: string) => ApiProperty({ type: 'integer', description, example: 0 });

export class WebhookNoteResponse {
  @Time('When it was written')
  at!: Date;

  @ApiProperty({ type: String, description: 'What happened' })
  text!: string;
}

/** Where the events of an account go (specification, "Webhook subscription"). */
export class WebhookSubscriptionResponse {
  @Id('Subscription id')
  _id!: string;

  @Id('Owner account id')
  user!: string;

  @ApiPropertyOptional({ type: String, description: 'Label shown in the dashboard', example: 'Orders' })
  name?: string;

  @ApiProperty({
    type: Boolean,
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

  @ApiProperty({
    type: String,
    description: 'URL events are posted to',
    example: 'https://example.com/hooks/sms',
  })
  deliveryUrl!: string;

  @ApiProperty({
    type: String,
    description:
      'Secret used to sign deliveries; empty when it cannot be read, because its encryption key is missing: until ' +
      'it has a new one, or the key is back, its deliveries wait',
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  })
  signingSecret!: string;

  @Count('Deliveries that succeeded')
  successfulDeliveryCount!: number;

  @Count('Deliveries that ended failed')
  deliveryFailureCount!: number;

  @Count('Attempts made, retries included')
  deliveryAttemptCount!: number;

  @TimeIfKnown('Last attempt')
  lastDeliveryAttemptAt?: Date;

  @TimeIfKnown('Last attempt that succeeded')
  lastDeliverySuccessAt?: Date;

  @TimeIfKnown('Last attempt that failed')
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
}: SubscriptionView): WebhookSubscriptionResponse {
  return {
    _id: subscription._id.toHexString(),
    user: subscription.user.toHexString(),
    name: subscription.name,
    isActive: subscription.isActive,
    events: subscription.events,
    deliveryUrl: subscription.deliveryUrl,
    signingSecret: signingSecret ?? '',
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
