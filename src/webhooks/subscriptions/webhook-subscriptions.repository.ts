import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, PipelineStage, Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { insertUnlessDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { WebhookSubscription } from './webhook-subscription.schema';
import type { EmittedEvent, WebhookEvent } from '../relay/webhook-event';

const MAX_STORED_NOTES = 50;
const MAX_PREVIOUS_SECRETS = 5;

export type Subscriber = Pick<WebhookSubscription, '_id' | 'user' | 'events'>;

/** What identifies a subscription to its owner, and what it gets. */
export type SubscriptionLabel = Pick<WebhookSubscription, '_id' | keyof typeof LABEL_FIELDS>;

const LABEL_FIELDS = { name: 1, deliveryUrl: 1, events: 1, isActive: 1 } as const;

export interface SubscriptionChanges {
  readonly name?: string;
  readonly isActive?: boolean;
  readonly deliveryUrl?: string;
  readonly events?: readonly WebhookEvent[];
  /** The new secret, encrypted; the previous one signs `webhook-signature`, too, until `previousUntil`. */
  readonly secret?: { readonly encrypted: string; readonly previousUntil: Date };
}

export type FailingSubscription = WebhookSubscription & Required<Pick<WebhookSubscription, 'failingSince'>>;

/** What a pause is based on: the endpoint that answered, or the failures since the last success. */
export type PauseCondition =
  Pick<FailingSubscription, 'deliveryUrl'> | Pick<FailingSubscription, 'failingSince' | 'failingAttempts'>;

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

  async isActive(id: Types.ObjectId): Promise<boolean> {
    return (await this.subscriptions.exists({ _id: id, isActive: true })) !== null;
  }

  /**
   * Pauses an active subscription and adds a note. @returns false when it is not active or the condition no longer
   * holds.
   */
  async pause(id: Types.ObjectId, condition: PauseCondition, text: string, now: Date): Promise<boolean> {
    const conditionFilter =
      'failingSince' in condition
        ? { failingSince: condition.failingSince, failingAttempts: { $gte: condition.failingAttempts } }
        : { deliveryUrl: condition.deliveryUrl };
    const paused = await this.subscriptions
      .findOneAndUpdate(
        { _id: id, isActive: true, ...conditionFilter },
        {
          $set: { isActive: false, updatedAt: now },
          $push: { notes: { $each: [{ at: now, text }], $slice: -MAX_STORED_NOTES } },
        },
        { projection: { user: 1 } },
      )
      .lean<Pick<WebhookSubscription, 'user'>>();
    if (paused) this.hints.publish(paused, 'webhook', [id]);
    return paused !== null;
  }

  /** Lists the active subscriptions of these accounts. */
  listSubscribers(users: readonly Types.ObjectId[]): Promise<Subscriber[]> {
    return this.subscriptions
      .find({ user: { $in: users }, isActive: true, ...NOT_DELETED }, { user: 1, events: 1 })
      .lean<Subscriber[]>();
  }

  /** Lists active subscriptions without a success since `since` and at least `attempts` failed attempts. */
  listFailing(since: Date, attempts: number, limit: number): Promise<FailingSubscription[]> {
    return this.subscriptions
      .find({ failingSince: atOrBefore(since), isActive: true, failingAttempts: { $gte: attempts } })
      .sort({ failingSince: 1 })
      .limit(limit)
      .lean<FailingSubscription[]>();
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
    after: Pick<WebhookSubscription, 'signingSecret' | 'previousSecrets'>,
  ): Promise<boolean> {
    const result = await this.subscriptions.updateOne(
      { _id: before._id, signingSecret: before.signingSecret },
      { $set: after },
    );
    return result.matchedCount === 1;
  }
}

export function isSubscribedTo(subscriber: Pick<Subscriber, 'events'>, event: EmittedEvent): boolean {
  return subscriber.events.includes(event);
}

function deletionUpdate(now: Date) {
  return {
    $set: { isActive: false, previousSecrets: [], updatedAt: now },
    $unset: { slot: 1, signingSecret: 1, failingSince: 1 },
  } as const;
}

function updatePipelineOf(changes: SubscriptionChanges, now: Date): PipelineStage[] {
  const { name, isActive, deliveryUrl, events, secret } = changes;
  return [
    {
      $set: {
        ...(name !== undefined && { name: { $literal: name } }),
        ...(deliveryUrl !== undefined && { deliveryUrl: { $literal: deliveryUrl } }),
        ...(events !== undefined && { events: { $literal: [...events] } }),
        ...(isActive !== undefined && { isActive }),
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
