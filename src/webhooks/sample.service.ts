import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import type { MessageEvent } from '../messages/message-event';
import { AttemptsService, PostResult } from './attempts.service';
import { EventPayload, eventPayload, EventSubject } from './event-payload';
import { SubscriptionsRepository } from './subscriptions.repository';
import { WebhookNotFound, WebhookSecretLost } from './webhooks.errors';

/** A sample that was sent, and what the endpoint made of it. */
export interface SentSample {
  readonly payload: EventPayload;
  readonly result: PostResult;
}

/** Sends samples, so that an owner can try an endpoint before anything depends on it. */
@Injectable()
export class SampleService {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly attempts: AttemptsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Posts a sample of an event under an id of its own, signed as the real one, also when the subscription is paused.
   * It is no delivery: it is neither stored, counted nor repeated.
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
