import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../../common/clock';
import { SecretCipher } from '../../subscriptions/secret-cipher';
import { attemptOutcome } from './attempt-outcome';
import { DeliveryMetrics } from '../delivery.metrics';
import type { Delivery } from '../delivery.schema';
import { OutboundHttp } from '../../../infrastructure/outbound-http/outbound-http';
import type { Attempt, DeliveryAttemptResult } from '../delivery-update';
import { signature, SigningSecrets, standardSignature } from './signature';
import type { WebhookSubscription } from '../../subscriptions/webhook-subscription.schema';

export interface AttemptRequest {
  readonly idempotencyKey: string;
  readonly body: string;
  readonly isTest?: boolean;
}

/** Signs events and posts them to endpoints. */
@Injectable()
export class DeliveryAttemptsService {
  constructor(
    private readonly outbound: OutboundHttp,
    private readonly cipher: SecretCipher,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
  ) {}

  /** Whether the signing secret can be decrypted; deliveries wait while it cannot. */
  canSign({ _id, signingSecret = '' }: WebhookSubscription): boolean {
    return this.cipher.tryDecrypt(signingSecret, _id.toHexString()) !== undefined;
  }

  /** Makes one attempt to deliver. An error of the endpoint is an outcome, not an exception. */
  async attempt(subscription: WebhookSubscription, delivery: Delivery): Promise<Attempt> {
    const result = await this.post(subscription, {
      idempotencyKey: delivery._id.toHexString(),
      body: delivery.body,
    });
    const { deliveryUrl } = subscription;
    const attempt = { ...result, id: new Types.ObjectId(), delivery, deliveryUrl };
    this.metrics.observe(attempt);
    return attempt;
  }

  /** @throws EncryptionKeyMissing */
  async post(
    subscription: WebhookSubscription,
    { idempotencyKey, body, isTest }: AttemptRequest,
  ): Promise<DeliveryAttemptResult> {
    const at = this.clock.now();
    const started = performance.now();
    const bytes = Buffer.from(body);
    const secrets = this.secretsOf(subscription, at);
    const timestamp = Math.floor(at.getTime() / 1_000);
    const response = await this.outbound.post(
      subscription.deliveryUrl,
      {
        'content-type': 'application/json',
        'user-agent': 'messaging-gateway',
        'x-signature': signature(bytes, secrets.current),
        'idempotency-key': idempotencyKey,
        'webhook-id': idempotencyKey,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': standardSignature(idempotencyKey, timestamp, bytes, secrets),
        ...(isTest && { 'x-webhook-test': 'true' }),
      },
      bytes,
    );
    const endedAt = this.clock.now();
    const durationMs = Math.round(performance.now() - started);
    return { at, endedAt, durationMs, outcome: attemptOutcome(response, endedAt) };
  }

  private secretsOf(
    { _id, signingSecret = '', previousSecrets }: WebhookSubscription,
    now: Date,
  ): SigningSecrets {
    const owner = _id.toHexString();
    return {
      current: this.cipher.decrypt(signingSecret, owner),
      previous: previousSecrets
        .filter(({ until }) => until > now)
        .flatMap(({ secret }) => this.cipher.tryDecrypt(secret, owner) ?? []),
    };
  }
}
