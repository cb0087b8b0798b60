import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { type AccountScope, accountScope } from '../../auth/account-scope';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { WebhookSubscription } from '../webhook-subscription.schema';

const MAX_STORED_NOTES = 50;

export type FailingSubscription = WebhookSubscription & Required<Pick<WebhookSubscription, 'failingSince'>>;

/** A subscription whose owner is to be told that the service paused it. */
type PausedSubscription = WebhookSubscription & Required<Pick<WebhookSubscription, 'pauseNoticeDueAt'>>;

/** What a pause is based on: the endpoint that answered, or the failures since the last success. */
export type PauseCondition =
  Pick<FailingSubscription, 'deliveryUrl'> | Pick<FailingSubscription, 'failingSince' | 'failingAttempts'>;

@Injectable()
export class SubscriptionPauseRepository {
  constructor(
    @InjectModel(WebhookSubscription.name) private readonly subscriptions: Model<WebhookSubscription>,
    private readonly hints: LiveHints,
  ) {}

  /** The account of a subscription, deleted or not; undefined if it was erased. */
  async findOwner(id: Types.ObjectId): Promise<AccountScope | undefined> {
    const found = await this.subscriptions
      .findById(id, { user: 1 })
      .lean<Pick<WebhookSubscription, 'user'>>();
    return found ? accountScope(found.user) : undefined;
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
          $set: { isActive: false, pausedAt: now, pauseNoticeDueAt: now, updatedAt: now },
          $push: { notes: { $each: [{ at: now, text }], $slice: -MAX_STORED_NOTES } },
        },
        { projection: { user: 1 } },
      )
      .lean<Pick<WebhookSubscription, 'user'>>();
    if (paused) this.hints.publish(paused, 'webhook', [id]);
    return paused !== null;
  }

  /** Lists active subscriptions without a success since `since` and at least `attempts` failed attempts. */
  listFailing(since: Date, attempts: number, limit: number): Promise<FailingSubscription[]> {
    return this.subscriptions
      .find({ failingSince: atOrBefore(since), isActive: true, failingAttempts: { $gte: attempts } })
      .sort({ failingSince: 1 })
      .limit(limit)
      .lean<FailingSubscription[]>();
  }

  /** Subscriptions that the service paused, the longest paused first. */
  listPauseNotices(until: Date, limit: number): Promise<PausedSubscription[]> {
    return this.subscriptions
      .find({ pauseNoticeDueAt: atOrBefore(until) })
      .sort({ pauseNoticeDueAt: 1 })
      .limit(limit)
      .lean<PausedSubscription[]>();
  }

  /** Records that the pause was noted, unless there was another one since. */
  async setPauseNoted({ _id, pauseNoticeDueAt }: PausedSubscription): Promise<void> {
    await this.subscriptions.updateOne({ _id, pauseNoticeDueAt }, { $unset: { pauseNoticeDueAt: 1 } });
  }
}
