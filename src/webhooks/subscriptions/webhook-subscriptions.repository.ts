import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, PipelineStage, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { insertUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { type CustomHeader, WebhookSubscription } from '../webhook-subscription.schema';
import type { EmittedEvent, WebhookEvent } from '../webhook-event';

const MAX_PREVIOUS_SECRETS = 5;

export type Subscriber = Pick<WebhookSubscription, '_id' | 'user' | 'events' | 'deviceIds' | 'poolIds'>;

/** What identifies a subscription to its owner, and what it gets. */
export type SubscriptionLabel = Pick<WebhookSubscription, '_id' | keyof typeof LABEL_FIELDS>;

const LABEL_FIELDS = { name: 1, deliveryUrl: 1, events: 1, isActive: 1 } as const;

export interface SubscriptionChanges {
  readonly name?: string;
  readonly isActive?: boolean;
  readonly deliveryUrl?: string;
  readonly events?: readonly WebhookEvent[];
  /** Null removes it, as it does the following. */
  readonly timeoutSeconds?: number | null;
  readonly headers?: readonly CustomHeader[] | null;
  readonly deviceIds?: readonly Types.ObjectId[] | null;
  readonly poolIds?: readonly Types.ObjectId[] | null;
  /** The new secret, encrypted; the previous one signs `webhook-signature`, too, until `previousUntil`. */
  readonly secret?: { readonly encrypted: string; readonly previousUntil: Date };
}

const SUBSCRIBER_FIELDS = { user: 1, events: 1, deviceIds: 1, poolIds: 1 } as const;

const NOT_DELETED = { slot: { $exists: true } };

@Injectable()
export class WebhookSubscriptionsRepository {
  constructor(
    @InjectModel(WebhookSubscription.name) private readonly subscriptions: Model<WebhookSubscription>,
    private readonly hints: LiveHints,
  ) {}

  /** Lists the subscriptions of an account, oldest first, without deleted ones. */
  list(account: AccountScope): Promise<WebhookSubscription[]> {
    return this.subscriptions
      .find({ user: account.user, ...NOT_DELETED })
      .sort({ createdAt: 1, _id: 1 })
      .lean<WebhookSubscription[]>();
  }

  find(account: AccountScope, id: Types.ObjectId): Promise<WebhookSubscription | null> {
    return this.subscriptions
      .findOne({ _id: id, user: account.user, ...NOT_DELETED })
      .lean<WebhookSubscription>();
  }

  /** Includes deleted subscriptions, whose delivery history stays readable. */
  findIncludingDeleted(account: AccountScope, id: Types.ObjectId): Promise<WebhookSubscription | null> {
    return this.subscriptions.findOne({ _id: id, user: account.user }).lean<WebhookSubscription>();
  }

  /** The latest subscriptions of an account, including deleted ones. */
  listLabels(account: AccountScope, limit: number): Promise<SubscriptionLabel[]> {
    return this.subscriptions
      .find({ user: account.user }, LABEL_FIELDS)
      .sort({ _id: -1 })
      .limit(limit)
      .hint({ user: 1 }) // the order alone would read those of all accounts
      .lean<SubscriptionLabel[]>();
  }

  /** @returns false when another request took the slot. */
  async insert(subscription: WebhookSubscription): Promise<boolean> {
    const isInserted = await insertUnlessDuplicate(this.subscriptions, subscription);
    if (isInserted) this.hints.publish(subscription, 'webhook', [subscription._id]);
    return isInserted;
  }

  /** @returns the updated subscription; null when it does not exist. */
  async update(
    account: AccountScope,
    id: Types.ObjectId,
    changes: SubscriptionChanges,
    now: Date,
  ): Promise<WebhookSubscription | null> {
    const updated = await this.subscriptions
      .findOneAndUpdate({ _id: id, user: account.user, ...NOT_DELETED }, updatePipelineOf(changes, now), {
        updatePipeline: true,
        returnDocument: 'after',
      })
      .lean<WebhookSubscription>();
    this.hints.publish(account, 'webhook', [id]);
    return updated;
  }

  /** @returns false when it does not exist or is already deleted. */
  async remove(account: AccountScope, id: Types.ObjectId, now: Date): Promise<boolean> {
    const result = await this.subscriptions.updateOne(
      { _id: id, user: account.user, ...NOT_DELETED },
      deletionUpdate(now),
    );
    this.hints.publish(account, 'webhook', [id]);
    return result.modifiedCount === 1;
  }

  async removeAll(account: AccountScope, now: Date): Promise<void> {
    await this.subscriptions.updateMany({ user: account.user, ...NOT_DELETED }, deletionUpdate(now));
  }

  /** Lists the subscriptions of these accounts that are active, or were paused at this time or later. */
  listSubscribers(users: readonly Types.ObjectId[], pausedSince: Date): Promise<Subscriber[]> {
    const $or = [{ isActive: true }, { pausedAt: { $gte: pausedSince } }];
    return this.subscriptions
      .find({ user: { $in: users }, ...NOT_DELETED, $or }, SUBSCRIBER_FIELDS)
      .lean<Subscriber[]>();
  }

  /** Lists subscriptions with a secret, paged by id. */
  listWithSecret(after: Types.ObjectId | undefined, limit: number): Promise<WebhookSubscription[]> {
    return this.subscriptions
      .find({ signingSecret: { $exists: true }, ...(after && { _id: { $gt: after } }) })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<WebhookSubscription[]>();
  }

  /** Stores re-encrypted secrets. @returns false when the secret changed meanwhile. */
  async replaceSecrets(
    before: WebhookSubscription,
    after: Pick<WebhookSubscription, 'signingSecret' | 'previousSecrets' | 'headers'>,
  ): Promise<boolean> {
    const { _id, signingSecret, headers = { $exists: false } } = before;
    const result = await this.subscriptions.updateOne({ _id, signingSecret, headers }, { $set: after });
    return result.matchedCount === 1;
  }
}

export function isSubscribedTo(subscriber: Pick<Subscriber, 'events'>, event: EmittedEvent): boolean {
  return subscriber.events.includes(event);
}

function deletionUpdate(now: Date) {
  return {
    $set: { isActive: false, previousSecrets: [], updatedAt: now },
    $unset: { slot: 1, signingSecret: 1, headers: 1, failingSince: 1 },
  } as const;
}

function updatePipelineOf(changes: SubscriptionChanges, now: Date): PipelineStage[] {
  const { name, isActive, deliveryUrl, events, secret } = changes;
  const { timeoutSeconds, headers, deviceIds, poolIds } = changes;
  const removable = Object.entries({ timeoutSeconds, headers, deviceIds, poolIds }).filter(
    ([, value]) => value !== undefined,
  );
  return [
    {
      $set: {
        ...(name !== undefined && { name: { $literal: name } }),
        ...(deliveryUrl !== undefined && { deliveryUrl: { $literal: deliveryUrl } }),
        ...(events !== undefined && { events: { $literal: [...events] } }),
        ...Object.fromEntries(
          removable.map(([field, value]) => [field, value === null ? '$$REMOVE' : { $literal: value }]),
        ),
        ...(isActive !== undefined && {
          isActive,
          pausedAt: isActive ? '$$REMOVE' : { $cond: ['$isActive', now, coalesce('$pausedAt')] },
        }),
        ...(isActive && {
          // Re-enabling resets the failure counters.
          failingSince: { $cond: ['$isActive', coalesce('$failingSince'), '$$REMOVE'] },
          failingAttempts: { $cond: ['$isActive', '$failingAttempts', 0] },
        }),
        ...(secret && {
          signingSecret: secret.encrypted,
          previousSecrets: {
            $slice: [
              {
                $concatArrays: [
                  [{ secret: '$signingSecret', until: secret.previousUntil }],
                  { $filter: { input: '$previousSecrets', cond: { $gt: ['$$this.until', now] } } },
                ],
              },
              MAX_PREVIOUS_SECRETS,
            ],
          },
        }),
        updatedAt: now,
      },
    },
  ];
}
