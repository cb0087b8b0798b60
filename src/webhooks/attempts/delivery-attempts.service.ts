import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../../common/clock';
import { SECOND_MS } from '../../common/durations';
import { SecretCipher } from '../../infrastructure/encryption/secret-cipher';
import { attemptOutcome } from '../deliveries/attempt-outcome';
import { DeliveryMetrics } from '../deliveries/delivery.metrics';
import type { Delivery } from '../deliveries/delivery.schema';
import { OutboundHttp } from '../../infrastructure/outbound-http/outbound-http';
import type { Attempt, DeliveryAttemptResult } from '../deliveries/delivery-update';
import { signature, SigningSecrets, standardSignature } from '../signing/signature';
import { timeoutOf, type WebhookSubscription } from '../webhook-subscription.schema';

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

  /** Whether the signing secret and the headers can be decrypted; deliveries wait while they cannot. */
  canSend({ _id, signingSecret = '', headers = [] }: WebhookSubscription): boolean {
    const secrets = [signingSecret, ...headers.map(({ value }) => value)];
    return secrets.every((secret) => this.cipher.tryDecrypt(secret, _id.toHexString()) !== undefined);
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
        ...this.customHeadersOf(subscription),
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
      timeoutOf(subscription) * SECOND_MS,
    );
    const endedAt = this.clock.now();
    const durationMs = Math.round(performance.now() - started);
    return { at, endedAt, durationMs, outcome: attemptOutcome(response, endedAt) };
  }

  private customHeadersOf({ _id, headers = [] }: WebhookSubscription): Record<string, string> {
    const owner = _id.toHexString();
    return Object.fromEntries(
      headers.map(({ name, value }) => [name.toLowerCase(), this.cipher.decrypt(value, owner)]),
    );
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
