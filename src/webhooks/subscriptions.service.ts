import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Clock } from '../common/clock';
import { ValidationFailed } from '../common/errors';
import { SecretBox } from '../common/secret-box';
import { WebhooksConfig } from '../config/webhooks.config';
import { OutboundHttp } from './outbound/outbound-http';
import { PausingService } from './pausing.service';
import { PREVIOUS_SECRET_MS } from './signature';
import { Subscription } from './subscription.schema';
import { SubscriptionChanges, SubscriptionsRepository } from './subscriptions.repository';
import type { WebhookEvent } from './webhook-event';
import { WebhookLimitReached, WebhookNotFound } from './webhooks.errors';

/** A subscription as its owner asks for it. */
export interface NewSubscription {
  readonly name?: string;
  readonly deliveryUrl: string;
  readonly signingSecret: string;
  readonly events: readonly WebhookEvent[];
  /** Active when absent. */
  readonly isActive?: boolean;
}

/** What an owner wants changed; what is absent stays. */
export type SubscriptionEdits = Partial<NewSubscription>;

/** A subscription with its secret readable; undefined: the key that encrypted it is missing. */
export interface SubscriptionView {
  readonly subscription: Subscription;
  readonly signingSecret: string | undefined;
}

/** What owners do with their subscriptions. */
@Injectable()
export class SubscriptionsService {
  constructor(
    private readonly subscriptions: SubscriptionsRepository,
    private readonly pausing: PausingService,
    private readonly outbound: OutboundHttp,
    private readonly box: SecretBox,
    private readonly config: WebhooksConfig,
    private readonly clock: Clock,
  ) {}

  async list(account: AccountScope): Promise<SubscriptionView[]> {
    return (await this.subscriptions.list(account)).map((subscription) => this.view(subscription));
  }

  /** @throws WebhookNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<SubscriptionView> {
    const subscription = await this.subscriptions.find(account, id);
    if (!subscription) throw new WebhookNotFound();
    return this.view(subscription);
  }

  /** @throws WebhookLimitReached, ValidationFailed when the URL cannot be delivered to. */
  async create(account: AccountScope, asked: NewSubscription): Promise<SubscriptionView> {
    await this.freeSlot(account);
    await this.assertUsable(asked.deliveryUrl);
    const now = this.clock.now();
    const _id = new Types.ObjectId();
    const signingSecret = this.box.close(asked.signingSecret, _id.toHexString());
    for (;;) {
      const subscription: Subscription = {
        _id,
        user: account.user,
        ...(asked.name !== undefined && { name: asked.name }),
        isActive: asked.isActive ?? true,
        events: [...asked.events],
        deliveryUrl: asked.deliveryUrl,
        signingSecret,
        successfulDeliveryCount: 0,
        deliveryFailureCount: 0,
        deliveryAttemptCount: 0,
        notes: [],
        createdAt: now,
        updatedAt: now,
        slot: await this.freeSlot(account),
        previousSecrets: [],
        failingAttempts: 0,
      };
      // Whoever finds the place taken meanwhile looks for the next one, until there is none.
      if (await this.subscriptions.insert(subscription)) return this.view(subscription);
    }
  }

  /**
   * Changes what is given. A secret that is replaced signs beside the new one for 24 hours; `isActive` true
   * re-enables, false pauses and ends what is under way.
   * @throws WebhookNotFound, ValidationFailed when the URL cannot be delivered to.
   */
  async update(
    account: AccountScope,
    id: Types.ObjectId,
    edits: SubscriptionEdits,
  ): Promise<SubscriptionView> {
    const current = await this.subscriptions.find(account, id);
    if (!current) throw new WebhookNotFound();
    if (edits.deliveryUrl !== undefined) await this.assertUsable(edits.deliveryUrl);
    const { signingSecret, ...plain } = edits;
    const changes: SubscriptionChanges = {
      ...plain,
      ...(signingSecret !== undefined && this.replacing(current, signingSecret)),
    };
    const subscription = await this.subscriptions.change(account, id, changes, this.clock.now());
    if (!subscription) throw new WebhookNotFound();
    if (edits.isActive !== false) return this.view(subscription);
    await this.pausing.abort(id);
    return this.get(account, id);
  }

  /** Deletes a subscription and ends its deliveries; their history stays. @throws WebhookNotFound */
  async remove(account: AccountScope, id: Types.ObjectId): Promise<void> {
    if (!(await this.subscriptions.remove(account, id, this.clock.now()))) throw new WebhookNotFound();
    await this.pausing.abort(id);
  }

  /** @throws WebhookLimitReached */
  private async freeSlot(account: AccountScope): Promise<number> {
    const { maxSubscriptions } = this.config;
    const taken = new Set((await this.subscriptions.list(account)).map(({ slot }) => slot));
    if (taken.size >= maxSubscriptions) throw new WebhookLimitReached(maxSubscriptions);
    for (let slot = 0; ; slot += 1) if (!taken.has(slot)) return slot;
  }

  private async assertUsable(deliveryUrl: string): Promise<void> {
    const reason = await this.outbound.check(deliveryUrl);
    if (reason === undefined) return;
    throw new ValidationFailed([{ field: 'deliveryUrl', message: `deliveryUrl cannot be used: ${reason}` }]);
  }

  /** Nothing when it is the secret already. */
  private replacing(current: Subscription, secret: string): Pick<SubscriptionChanges, 'secret'> {
    const owner = current._id.toHexString();
    const { signingSecret: before } = this.view(current);
    if (before === secret) return {};
    // One whose key is lost can be replaced, and signs no more.
    const signsOnForMs = before === undefined ? 0 : PREVIOUS_SECRET_MS;
    const previousUntil = new Date(this.clock.now().getTime() + signsOnForMs);
    return { secret: { closed: this.box.close(secret, owner), previousUntil } };
  }

  private view(subscription: Subscription): SubscriptionView {
    const { _id, signingSecret = '' } = subscription;
    return { subscription, signingSecret: this.box.openIfKeyed(signingSecret, _id.toHexString()) };
  }
}
