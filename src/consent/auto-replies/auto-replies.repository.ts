import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { ifDuplicate } from '../../infrastructure/mongo/duplicate-key';
import { AutoReply } from './auto-reply.schema';

export type NewAutoReply = Omit<AutoReply, '_id' | 'user' | 'reply' | 'batch' | 'refusal'>;

export type AutoReplyResult = { readonly batch: Types.ObjectId } | { readonly refusal: string };

@Injectable()
export class AutoRepliesRepository {
  constructor(@InjectModel(AutoReply.name) private readonly replies: Model<AutoReply>) {}

  /**
   * Stores a reply, unless the number got one of its kind since a time.
   * @returns undefined if it did.
   */
  request(
    { user }: AccountScope,
    { numberKey, kind, simSubscriptionId, ...reply }: NewAutoReply,
    since: Date,
  ): Promise<AutoReply | undefined> {
    const hasSim = simSubscriptionId !== undefined;
    return ifDuplicate(undefined, () =>
      this.replies
        .findOneAndUpdate(
          { user, numberKey, kind, requestedAt: { $lte: since } },
          {
            $set: { ...reply, reply: new Types.ObjectId(), ...(hasSim && { simSubscriptionId }) },
            $unset: { batch: 1, refusal: 1, ...(!hasSim && { simSubscriptionId: 1 }) },
          },
          { upsert: true, returnDocument: 'after' },
        )
        .lean<AutoReply>(),
    );
  }

  /** Claims the reply that is due first until a time. */
  claimDue(now: Date, until: Date): Promise<AutoReply | null> {
    return this.replies
      .findOneAndUpdate(
        { relayDueAt: atOrBefore(now) },
        { $set: { relayDueAt: until } },
        { sort: { relayDueAt: 1 }, returnDocument: 'after' },
      )
      .lean<AutoReply>();
  }

  async finish({ _id, user, reply }: AutoReply, result: AutoReplyResult): Promise<void> {
    await this.replies.updateOne({ _id, user, reply }, { $set: result, $unset: { relayDueAt: 1 } });
  }

  /** The confirmations of STOP to numbers. */
  listConfirmations({ user }: AccountScope, numberKeys: readonly string[]): Promise<AutoReply[]> {
    return this.replies
      .find({ user, numberKey: { $in: numberKeys }, kind: 'confirmation' })
      .lean<AutoReply[]>();
  }
}
