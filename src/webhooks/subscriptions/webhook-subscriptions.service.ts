import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { ValidationFailed } from '../../common/errors';
import { KeyedQueue } from '../../common/keyed-queue';
import { lowestFreeSlot } from '../../common/lowest-free-slot';
import { WebhooksConfig } from '../../config/sections/webhooks.config';
import { distinctIds } from '../../common/documents';
import { DevicesRepository } from '../../devices/store/devices.repository';
import { PoolsRepository } from '../../devices/sims/pools/pools.repository';
import { OutboundHttp } from '../../infrastructure/outbound-http/outbound-http';
import { type SubscriptionWithSecret, SubscriptionViews } from './subscription-views.service';
import { SubscriptionPauseService } from '../pausing/subscription-pause.service';
import { PREVIOUS_SECRET_TTL_MS } from '../signing/signature';
import type { WebhookEvent } from '../webhook-event';
import { WebhookSubscription } from '../webhook-subscription.schema';
import { SubscriptionChanges, WebhookSubscriptionsRepository } from './webhook-subscriptions.repository';
import { WebhookLimitReached, WebhookNotFound } from '../webhooks.errors';

export interface NewSubscription {
  readonly name?: string;
  readonly deliveryUrl: string;
  readonly signingSecret: string;
  readonly events: readonly WebhookEvent[];
  /** Defaults to true. */
  readonly isActive?: boolean;
  /** Null is the default, as it is for the following. */
  readonly timeoutSeconds?: number | null;
  readonly headers?: Readonly<Record<string, string>> | null;
  readonly deviceIds?: readonly string[] | null;
  readonly poolIds?: readonly string[] | null;
}

/** Absent fields stay unchanged. */
export type SubscriptionPatch = Partial<NewSubscription>;

type SubscriptionOptions = Pick<SubscriptionPatch, 'timeoutSeconds' | 'headers'> & {
  readonly deviceIds?: Types.ObjectId[] | null;
  readonly poolIds?: Types.ObjectId[] | null;
};

@Injectable()
export class WebhookSubscriptionsService {
  private readonly creations = new KeyedQueue();

  constructor(
    private readonly subscriptions: WebhookSubscriptionsRepository,
    private readonly pausing: SubscriptionPauseService,
    private readonly devices: DevicesRepository,
    private readonly pools: PoolsRepository,
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

  /** @throws WebhookLimitReached, ValidationFailed when the URL is not allowed, or a device or pool not on the account. */
  async create(account: AccountScope, input: NewSubscription): Promise<SubscriptionWithSecret> {
    await this.findFreeSlot(account);
    const { timeoutSeconds, headers, ...filter } = await this.readOptions(account, input);
    await this.assertUrlAllowed(input.deliveryUrl);
    const now = this.clock.now();
    const _id = new Types.ObjectId();
    const signingSecret = this.views.encryptSecret({ _id }, input.signingSecret);
    const subscription: WebhookSubscription = {
      _id,
      user: account.user,
      ...(input.name !== undefined && { name: input.name }),
      isActive: input.isActive ?? true,
      events: [...input.events],
      deliveryUrl: input.deliveryUrl,
      signingSecret,
      ...(timeoutSeconds && { timeoutSeconds }),
      ...(headers && { headers: this.views.encryptHeaders({ _id }, headers) }),
      ...(filter.deviceIds && { deviceIds: filter.deviceIds }),
      ...(filter.poolIds && { poolIds: filter.poolIds }),
      ...(input.isActive === false && { pausedAt: now }),
      successfulDeliveryCount: 0,
      deliveryFailureCount: 0,
      deliveryAttemptCount: 0,
      notes: [],
      createdAt: now,
      updatedAt: now,
      previousSecrets: [],
      failingAttempts: 0,
    };
    return this.creations.run(account.user.toHexString(), async () => {
      for (;;) {
        const withSlot = Object.assign({}, subscription, { slot: await this.findFreeSlot(account) });
        // On failure another process took the slot.
        if (await this.subscriptions.insert(withSlot)) return this.views.of(withSlot);
      }
    });
  }

  /**
   * Changes the given fields. A replaced secret stays in `webhook-signature` for 24 hours. Setting `isActive` to false
   * aborts deliveries.
   * @throws WebhookNotFound, ValidationFailed when the URL is not allowed, or a device or pool not on the account.
   */
  async update(
    account: AccountScope,
    id: Types.ObjectId,
    patch: SubscriptionPatch,
  ): Promise<SubscriptionWithSecret> {
    const current = await this.subscriptions.find(account, id);
    if (!current) throw new WebhookNotFound();
    if (patch.deliveryUrl !== undefined) await this.assertUrlAllowed(patch.deliveryUrl);
    const { name, isActive, deliveryUrl, events, signingSecret } = patch;
    const { headers, ...options } = await this.readOptions(account, patch);
    const changes: SubscriptionChanges = {
      ...{ name, isActive, deliveryUrl, events },
      ...options,
      ...(headers !== undefined && { headers: headers && this.views.encryptHeaders(current, headers) }),
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

  /** @throws ValidationFailed when a device or pool is not on the account. */
  private async readOptions(
    account: AccountScope,
    { timeoutSeconds, headers, deviceIds, poolIds }: SubscriptionPatch,
  ): Promise<SubscriptionOptions> {
    const hasHeaders = headers && Object.keys(headers).length > 0;
    return {
      timeoutSeconds,
      headers: headers && !hasHeaders ? null : headers,
      deviceIds: await this.readIds('deviceIds', deviceIds, (ids) => this.devices.findExisting(account, ids)),
      poolIds: await this.readIds('poolIds', poolIds, () => this.pools.list(account)),
    };
  }

  private async readIds(
    field: string,
    given: readonly string[] | null | undefined,
    find: (ids: readonly Types.ObjectId[]) => Promise<readonly { readonly _id: Types.ObjectId }[]>,
  ): Promise<Types.ObjectId[] | null | undefined> {
    if (!given) return given;
    const ids = distinctIds(given.map((id) => new Types.ObjectId(id)));
    const known = new Set((await find(ids)).map(({ _id }) => _id.toHexString()));
    const unknown = ids.find((id) => !known.has(id.toHexString()));
    if (unknown) throw ValidationFailed.of(field, `has an id that is not on the account: ${String(unknown)}`);
    return ids;
  }

  private async assertUrlAllowed(deliveryUrl: string): Promise<void> {
    const reason = await this.outbound.checkUrl(deliveryUrl);
    if (reason === undefined) return;
    throw ValidationFailed.of('deliveryUrl', `cannot be used: ${reason}`);
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
