import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, PipelineStage, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { isDuplicateKey } from '../common/persistence/duplicate-key';
import { reached } from '../common/persistence/reached';
import type { MessageEvent } from '../messages/message-event';
import { Subscription } from './subscription.schema';
import type { WebhookEvent } from './webhook-event';

/** Notes that are kept, and secrets that still sign: the latest ones. */
const MOST_NOTES = 50;
const MOST_PREVIOUS_SECRETS = 5;

/** A subscription that wants events. */
export type Subscriber = Pick<Subscription, '_id' | 'user' | 'events'>;

/** What an owner changes of a subscription. */
export interface SubscriptionChanges {
  readonly name?: string;
  readonly isActive?: boolean;
  readonly deliveryUrl?: string;
  readonly events?: readonly WebhookEvent[];
  /** Encrypted; the one before signs on until then. */
  readonly secret?: { readonly closed: string; readonly previousUntil: Date };
}

/** A subscription whose latest attempts failed. */
export type FailingSubscription = Subscription & Required<Pick<Subscription, 'failingSince'>>;

/** What a subscription is paused for, as it was read: where it failed, or since when and how often at least. */
export type PauseGround =
  Pick<FailingSubscription, 'deliveryUrl'> | Pick<FailingSubscription, 'failingSince' | 'failingAttempts'>;

const NOT_DELETED = { slot: { $exists: true } };

/** Subscriptions as their owner sees them. */
@Injectable()
export class SubscriptionsRepository {
  constructor(@InjectModel(Subscription.name) private readonly subscriptions: Model<Subscription>) {}

  /** The account's subscriptions, oldest first; deleted ones left out. */
  list(account: AccountScope): Promise<Subscription[]> {
    return this.subscriptions
      .find({ user: account.user, ...NOT_DELETED })
      .sort({ createdAt: 1, _id: 1 })
      .lean<Subscription[]>();
  }

  find(account: AccountScope, id: Types.ObjectId): Promise<Subscription | null> {
    return this.subscriptions.findOne({ _id: id, user: account.user, ...NOT_DELETED }).lean<Subscription>();
  }

  /** Finds deleted ones too: their deliveries stay. */
  findEver(account: AccountScope, id: Types.ObjectId): Promise<Subscription | null> {
    return this.subscriptions.findOne({ _id: id, user: account.user }).lean<Subscription>();
  }

  /** @returns false when somebody else has taken the place meanwhile. */
  async insert(subscription: Subscription): Promise<boolean> {
    try {
      await this.subscriptions.insertMany([subscription], { lean: true });
      return true;
    } catch (failure) {
      if (isDuplicateKey(failure)) return false;
      throw failure;
    }
  }

  /** @returns the subscription as it is now, or null when there is none. */
  change(
    account: AccountScope,
    id: Types.ObjectId,
    changes: SubscriptionChanges,
    now: Date,
  ): Promise<Subscription | null> {
    return this.subscriptions
      .findOneAndUpdate({ _id: id, user: account.user, ...NOT_DELETED }, changeUpdate(changes, now), {
        updatePipeline: true,
        returnDocument: 'after',
      })
      .lean<Subscription>();
  }

  /** @returns false when there is none, or it is deleted already. */
  async remove(account: AccountScope, id: Types.ObjectId, now: Date): Promise<boolean> {
    const result = await this.subscriptions.updateOne(
      { _id: id, user: account.user, ...NOT_DELETED },
      {
        $set: { isActive: false, previousSecrets: [], updatedAt: now },
        $unset: { slot: 1, signingSecret: 1, failingSince: 1 },
      },
    );
    return result.modifiedCount === 1;
  }

  /** Deletes all subscriptions of the account. */
  async removeAll(account: AccountScope, now: Date): Promise<void> {
    await this.subscriptions.updateMany(
      { user: account.user, ...NOT_DELETED },
      {
        $set: { isActive: false, previousSecrets: [], updatedAt: now },
        $unset: { slot: 1, signingSecret: 1, failingSince: 1 },
      },
    );
  }

  /** Whether it is there, and neither paused nor deleted. */
  async isActive(id: Types.ObjectId): Promise<boolean> {
    return (await this.subscriptions.exists({ _id: id, isActive: true })) !== null;
  }

  /** Pauses with a note that says why. @returns false when it was not active, or the ground no longer holds. */
  async pause(id: Types.ObjectId, ground: PauseGround, text: string, now: Date): Promise<boolean> {
    const stillSo =
      'failingSince' in ground
        ? { failingSince: ground.failingSince, failingAttempts: { $gte: ground.failingAttempts } }
        : { deliveryUrl: ground.deliveryUrl };
    const result = await this.subscriptions.updateOne(
      { _id: id, isActive: true, ...stillSo },
      {
        $set: { isActive: false, updatedAt: now },
        $push: { notes: { $each: [{ at: now, text }], $slice: -MOST_NOTES } },
      },
    );
    return result.modifiedCount === 1;
  }

  /** The active subscriptions of these accounts. */
  listSubscribers(users: readonly Types.ObjectId[]): Promise<Subscriber[]> {
    return this.subscriptions
      .find({ user: { $in: users }, isActive: true, ...NOT_DELETED }, { user: 1, events: 1 })
      .lean<Subscriber[]>();
  }

  /** Active subscriptions that have failed since `since` or longer, with at least so many attempts. */
  listFailing(since: Date, attempts: number, limit: number): Promise<FailingSubscription[]> {
    return this.subscriptions
      .find({ failingSince: reached(since), isActive: true, failingAttempts: { $gte: attempts } })
      .sort({ failingSince: 1 })
      .limit(limit)
      .lean<FailingSubscription[]>();
  }

  /** Subscriptions with secrets, in pages by id. */
  listWithSecret(after: Types.ObjectId | undefined, limit: number): Promise<Subscription[]> {
    return this.subscriptions
      .find({ signingSecret: { $exists: true }, ...(after && { _id: { $gt: after } }) })
      .sort({ _id: 1 })
      .limit(limit)
      .lean<Subscription[]>();
  }

  /** Puts secrets that were encrypted anew in place of the same ones. @returns false when they changed meanwhile. */
  async replaceSecrets(
    before: Subscription,
    after: Pick<Subscription, 'signingSecret' | 'previousSecrets'>,
  ): Promise<boolean> {
    const result = await this.subscriptions.updateOne(
      { _id: before._id, signingSecret: before.signingSecret },
      { $set: after },
    );
    return result.matchedCount === 1;
  }
}

/** Whether a subscription wants an event. */
export function wants(subscriber: Subscriber, event: MessageEvent): boolean {
  return subscriber.events.includes(event);
}

function changeUpdate(changes: SubscriptionChanges, now: Date): PipelineStage[] {
  const { name, isActive, deliveryUrl, events, secret } = changes;
  return [
    {
      $set: {
        ...(name !== undefined && { name: { $literal: name } }),
        ...(deliveryUrl !== undefined && { deliveryUrl: { $literal: deliveryUrl } }),
        ...(events !== undefined && { events: { $literal: [...events] } }),
        ...(isActive !== undefined && { isActive }),
        ...(isActive && {
          // Whoever is re-enabled starts afresh; whoever was active goes on.
          failingSince: { $cond: ['$isActive', { $ifNull: ['$failingSince', '$$REMOVE'] }, '$$REMOVE'] },
          failingAttempts: { $cond: ['$isActive', '$failingAttempts', 0] },
        }),
        ...(secret && {
          signingSecret: secret.closed,
          previousSecrets: {
            $slice: [
              {
                $concatArrays: [
                  [{ secret: '$signingSecret', until: secret.previousUntil }],
                  { $filter: { input: '$previousSecrets', cond: { $gt: ['$$this.until', now] } } },
                ],
              },
              MOST_PREVIOUS_SECRETS,
            ],
          },
        }),
        updatedAt: now,
      },
    },
  ];
}
