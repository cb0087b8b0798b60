import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { ValidationFailed } from '../../common/errors';
import { lowestFreeSlot } from '../../common/lowest-free-slot';
import { WebhooksConfig } from '../../config/sections/webhooks.config';
import { OutboundHttp } from '../../infrastructure/outbound-http/outbound-http';
import { type SubscriptionWithSecret, SubscriptionViews } from './subscription-views.service';
import { SubscriptionPauseService } from './subscription-pause.service';
import { PREVIOUS_SECRET_TTL_MS } from '../deliveries/attempts/signature';
import type {
  WebhookSubscriptionChangesRequest,
  WebhookSubscriptionRequest,
} from '../dto/subscription.request';
import { WebhookSubscription } from './webhook-subscription.schema';
import { SubscriptionChanges, WebhookSubscriptionsRepository } from './webhook-subscriptions.repository';
import { WebhookLimitReached, WebhookNotFound } from '../webhooks.errors';

export type NewSubscription = Readonly<WebhookSubscriptionRequest>;
export type SubscriptionPatch = Readonly<WebhookSubscriptionChangesRequest>;

@Injectable()
export class WebhookSubscriptionsService {
  constructor(
    private readonly subscriptions: WebhookSubscriptionsRepository,
    private readonly pausing: SubscriptionPauseService,
    private readonly outbound: OutboundHttp,
    private readonly views: SubscriptionViews,
    private readonly config: WebhooksConfig,
    private readonly clock: Clock,
  ) {}

  async list(account: AccountScope): Promise<SubscriptionWithSecret[]> {
    const subscriptions = await this.subscriptions.list(account);
    return Promise.all(subscriptions.map((subscription) => this.views.of(subscription)));
  }

  /** @throws WebhookNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<SubscriptionWithSecret> {
    const subscription = await this.subscriptions.find(account, id);
    if (!subscription) throw new WebhookNotFound();
    return this.views.of(subscription);
  }

  /** @throws WebhookLimitReached, ValidationFailed when the URL is not allowed. */
  async create(account: AccountScope, input: NewSubscription): Promise<SubscriptionWithSecret> {
    await this.findFreeSlot(account);
    await this.assertUrlAllowed(input.deliveryUrl);
    const now = this.clock.now();
    const _id = new Types.ObjectId();
    const signingSecret = this.views.encryptSecret({ _id }, input.signingSecret);
    for (;;) {
      const subscription: WebhookSubscription = {
        _id,
        user: account.user,
        ...(input.name !== undefined && { name: input.name }),
        isActive: input.isActive ?? true,
        events: [...input.events],
        deliveryUrl: input.deliveryUrl,
        signingSecret,
        successfulDeliveryCount: 0,
        deliveryFailureCount: 0,
        deliveryAttemptCount: 0,
        notes: [],
        createdAt: now,
        updatedAt: now,
        slot: await this.findFreeSlot(account),
        previousSecrets: [],
        failingAttempts: 0,
      };
      // On failure a concurrent request took the slot.
      if (await this.subscriptions.insert(subscription)) return this.views.of(subscription);
    }
  }

  /**
   * Changes the given fields. A replaced secret stays in `webhook-signature` for 24 hours. Setting `isActive` to false
   * aborts deliveries.
   * @throws WebhookNotFound, ValidationFailed when the URL is not allowed.
   */
  async update(
    account: AccountScope,
    id: Types.ObjectId,
    patch: SubscriptionPatch,
  ): Promise<SubscriptionWithSecret> {
    const current = await this.subscriptions.find(account, id);
    if (!current) throw new WebhookNotFound();
    if (patch.deliveryUrl !== undefined) await this.assertUrlAllowed(patch.deliveryUrl);
    const { signingSecret, ...otherFields } = patch;
    const changes: SubscriptionChanges = {
      ...otherFields,
      ...(signingSecret !== undefined && this.secretChange(current, signingSecret)),
    };
    const subscription = await this.subscriptions.update(account, id, changes, this.clock.now());
    if (!subscription) throw new WebhookNotFound();
    if (patch.isActive !== false) return this.views.of(subscription);
    await this.pausing.abort(id);
    return this.get(account, id);
  }

  /** Deletes a subscription and aborts its deliveries; their history stays readable. @throws WebhookNotFound */
  async remove(account: AccountScope, id: Types.ObjectId): Promise<void> {
    if (!(await this.subscriptions.remove(account, id, this.clock.now()))) throw new WebhookNotFound();
    await this.pausing.abort(id);
  }

  /** @throws WebhookLimitReached */
  private async findFreeSlot(account: AccountScope): Promise<number> {
    const { maxSubscriptions } = this.config;
    const taken = (await this.subscriptions.list(account)).map(({ slot }) => slot);
    const slot = lowestFreeSlot(taken, maxSubscriptions);
    if (slot === undefined) throw new WebhookLimitReached(maxSubscriptions);
    return slot;
  }

  private async assertUrlAllowed(deliveryUrl: string): Promise<void> {
    const reason = await this.outbound.checkUrl(deliveryUrl);
    if (reason === undefined) return;
    throw new ValidationFailed([{ field: 'deliveryUrl', message: `deliveryUrl cannot be used: ${reason}` }]);
  }

  private secretChange(current: WebhookSubscription, secret: string): Pick<SubscriptionChanges, 'secret'> {
    const previousSecret = this.views.decryptSecret(current);
    if (previousSecret === secret) return {};
    // A previous secret that cannot be decrypted cannot sign.
    const overlapMs = previousSecret === undefined ? 0 : PREVIOUS_SECRET_TTL_MS;
    const previousUntil = new Date(this.clock.now().getTime() + overlapMs);
    return { secret: { encrypted: this.views.encryptSecret(current, secret), previousUntil } };
  }
}
