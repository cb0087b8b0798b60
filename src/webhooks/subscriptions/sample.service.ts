import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import type { MessageEvent } from '../../messages/outbox/message-event';
import { DeliveryAttemptsService } from '../deliveries/delivery-attempts.service';
import type { AttemptResult } from '../deliveries/delivery-update';
import { EventPayload, eventPayload, EventSubject } from '../relay/event-payload';
import { WebhookSubscriptionsRepository } from './webhook-subscriptions.repository';
import { WebhookNotFound, WebhookSecretLost } from '../webhooks.errors';

export interface SentSample {
  readonly payload: EventPayload;
  readonly result: AttemptResult;
}

/** Sends sample events, so that owners can test an endpoint. */
@Injectable()
export class SampleService {
  constructor(
    private readonly subscriptions: WebhookSubscriptionsRepository,
    private readonly attempts: DeliveryAttemptsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Posts a signed sample with a new id, even to a paused subscription. Samples are not stored, counted or retried.
   * @throws WebhookNotFound, WebhookSecretLost
   */
  async send(account: AccountScope, id: Types.ObjectId, event: MessageEvent): Promise<SentSample> {
    const subscription = await this.subscriptions.find(account, id);
    if (!subscription) throw new WebhookNotFound();
    if (!this.attempts.canSign(subscription)) throw new WebhookSecretLost();
    const idempotencyKey = new Types.ObjectId().toHexString();
    const payload = eventPayload(
      { event, ...(event === 'UNKNOWN_STATE' && { reportedStatus: 'delivery_failed' }) },
      sampleSubject(this.clock.now()),
      id,
      idempotencyKey,
    );
    const body = JSON.stringify(payload);
    return {
      payload,
      result: await this.attempts.post(subscription, { idempotencyKey, body, isTest: true }),
    };
  }
}

function sampleSubject(now: Date): EventSubject {
  return {
    _id: new Types.ObjectId(),
    device: new Types.ObjectId(),
    message: 'This is a test of your webhook.',
    sender: '+15550100',
    recipient: '+15550100',
    smsBatch: new Types.ObjectId(),
    receivedAt: now,
    sentAt: now,
    deliveredAt: now,
    failedAt: now,
    errorCode: '1',
    dispatchedAt: now,
    unconfirmedReason: 'NO_REPORT',
  };
}
