import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { SecretBox } from '../common/secret-box';
import { attemptOutcome, AttemptOutcome } from './attempt-outcome';
import type { Delivery } from './delivery.schema';
import { OutboundHttp } from './outbound/outbound-http';
import type { Attempt } from './settlement';
import { signature, SigningSecrets, standardSignature } from './signature';
import type { Subscription } from './subscription.schema';

/** What is posted, and under which key. */
export interface Post {
  readonly idempotencyKey: string;
  readonly body: string;
  /** A sample that the owner asked for. */
  readonly isTest?: boolean;
}

export interface PostResult {
  readonly at: Date;
  readonly endedAt: Date;
  readonly durationMs: number;
  readonly outcome: AttemptOutcome;
}

/** Posts to endpoints, signed. */
@Injectable()
export class AttemptsService {
  constructor(
    private readonly outbound: OutboundHttp,
    private readonly box: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** Whether the subscription's secret can be read; without it nothing can be posted. */
  canSign({ _id, signingSecret = '' }: Subscription): boolean {
    return this.box.openIfKeyed(signingSecret, _id.toHexString()) !== undefined;
  }

  /** Makes one attempt on a delivery. Whatever the endpoint does is an outcome. */
  async attempt(subscription: Subscription, delivery: Delivery): Promise<Attempt> {
    const result = await this.post(subscription, {
      idempotencyKey: delivery._id.toHexString(),
      body: delivery.body,
    });
    return { ...result, id: new Types.ObjectId(), delivery, deliveryUrl: subscription.deliveryUrl };
  }

  /** @throws EncryptionKeyMissing */
  async post(subscription: Subscription, { idempotencyKey, body, isTest }: Post): Promise<PostResult> {
    const at = this.clock.now();
    const started = performance.now();
    const bytes = Buffer.from(body);
    const secrets = this.secretsOf(subscription, at);
    const timestamp = Math.floor(at.getTime() / 1_000);
    const answer = await this.outbound.post(
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
    return { at, endedAt, durationMs, outcome: attemptOutcome(answer, endedAt) };
  }

  private secretsOf({ _id, signingSecret = '', previousSecrets }: Subscription, now: Date): SigningSecrets {
    const owner = _id.toHexString();
    return {
      current: this.box.open(signingSecret, owner),
      // One whose key is lost signs no more; that must not keep the others from it.
      previous: previousSecrets
        .filter(({ until }) => until > now)
        .flatMap(({ secret }) => this.box.openIfKeyed(secret, owner) ?? []),
    };
  }
}
