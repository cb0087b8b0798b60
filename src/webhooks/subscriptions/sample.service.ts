import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DAY_MS } from '../../common/durations';
import { type OperationalDetails, OPERATIONAL_EVENTS } from '../../devices/events/operational-event';
import { DeliveryAttemptsService } from '../attempts/delivery-attempts.service';
import type { DeliveryAttemptResult } from '../deliveries/delivery-update';
import {
  type EventPayload,
  eventPayload,
  type EventSubject,
  type OperationalPayload,
  operationalPayload,
} from '../events/event-payload';
import type { EmittedEvent } from '../webhook-event';
import { WebhookSubscriptionsRepository } from './webhook-subscriptions.repository';
import { WebhookNotFound, WebhookSecretLost } from '../webhooks.errors';

export interface SentSample {
  readonly payload: EventPayload | OperationalPayload;
  readonly result: DeliveryAttemptResult;
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
  async send(account: AccountScope, id: Types.ObjectId, event: EmittedEvent): Promise<SentSample> {
    const subscription = await this.subscriptions.find(account, id);
    if (!subscription) throw new WebhookNotFound();
    if (!this.attempts.canSend(subscription)) throw new WebhookSecretLost();
    const idempotencyKey = new Types.ObjectId().toHexString();
    const payload = samplePayload(event, this.clock.now(), id, idempotencyKey);
    const body = JSON.stringify(payload);
    return {
      payload,
      result: await this.attempts.post(subscription, { idempotencyKey, body, isTest: true }),
    };
  }
}

function samplePayload(
  event: EmittedEvent,
  now: Date,
  subscription: Types.ObjectId,
  idempotencyKey: string,
): SentSample['payload'] {
  const operational = OPERATIONAL_EVENTS.find((each) => each === event);
  if (operational) {
    const details = SAMPLE_DETAILS[operational](now);
    const entry = { event: operational, device: new Types.ObjectId(), details };
    return operationalPayload(entry, subscription, idempotencyKey);
  }
  const messageEvent = event as Exclude<EmittedEvent, keyof OperationalDetails>;
  return eventPayload(
    {
      event: messageEvent,
      ...(messageEvent === 'UNKNOWN_STATE' && { reportedStatus: 'delivery_failed' }),
    },
    sampleSubject(now),
    subscription,
    idempotencyKey,
  );
}

const sampleDevice = (now: Date) => ({
  name: 'Office phone',
  brand: 'google',
  model: 'Pixel 8',
  since: now.toISOString(),
  lastContactAt: now.toISOString(),
});

const sampleSim = () => ({
  simId: new Types.ObjectId().toHexString(),
  label: 'Work',
  phoneNumber: '+15550100',
  carrierName: 'Example Mobile',
  subscriptionId: 1,
});

const SAMPLE_DETAILS: {
  readonly [Event in keyof OperationalDetails]: (now: Date) => OperationalDetails[Event];
} = {
  DEVICE_OFFLINE: (now) => ({ ...sampleDevice(now), state: 'unresponsive', pendingCount: 12 }),
  DEVICE_ONLINE: (now) => ({ ...sampleDevice(now), state: 'online', pendingCount: 0 }),
  SIM_UNHEALTHY: (now) => ({
    ...sampleSim(),
    state: 'open',
    kind: 'failures',
    since: now.toISOString(),
    failureRate: 0.87,
  }),
  SIM_LIMIT_REACHED: (now) => ({
    ...sampleSim(),
    limit: 'messagesPerDay',
    value: 200,
    resetsAt: new Date(now.getTime() + DAY_MS).toISOString(),
  }),
};

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
