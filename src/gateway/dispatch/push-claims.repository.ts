import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { Coalescer, latestOf } from '../../common/coalescer';
import { Message } from '../../messages/message.schema';
import { writeClaim } from './claim-write';
import { claimInTurn, MAX_CLAIMED_AT_ONCE, type MessageClaim } from './message-claim';

interface ClaimRequest {
  readonly messages: readonly MessageClaim[];
  readonly redeliverUntil: Date;
  readonly now: Date;
}

/** The claims of messages that are pushed to phones. A claimed message can no longer be withdrawn. */
@Injectable()
export class PushClaimsRepository {
  private readonly coalescer = new Coalescer(
    (requests: readonly ClaimRequest[]) => this.writeClaims(requests),
    { maxGroupSize: MAX_CLAIMED_AT_ONCE, sizeOf: ({ messages }) => messages.length },
  );

  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Claims messages before they are pushed, each with its SIM. A message is claimed by one worker only, and only before
   * its deadline. From then on it is also redelivered to a phone that connects, so that it is not missed between the push
   * and its result.
   * @returns the hex ids of those that were claimed.
   */
  claim(messages: readonly MessageClaim[], redeliverUntil: Date, now: Date): Promise<ReadonlySet<string>> {
    return this.coalescer.submit({ messages, redeliverUntil, now });
  }

  private async writeClaims(requests: readonly ClaimRequest[]): Promise<ReadonlySet<string>[]> {
    const { redeliverUntil, now } = latestOf(requests);
    return claimInTurn(requests, (messages) =>
      writeClaim(this.messages, messages, {
        now,
        set: { pushStartedAt: now, pushClaim: new Types.ObjectId(), redeliverUntil, updatedAt: now },
        unset: ['waitingFor', 'paceSlot', 'giveUpAt'],
        countsAttempt: true,
        ofPool: {
          set: { dispatchedAt: { $cond: [{ $eq: ['$status', 'dispatched'] }, now, '$$REMOVE'] } },
          // Also the acknowledgements of the phone that had the message before.
          unset: ['moveDueAt', 'pushReceivedAt', 'sendAttemptedAt'],
        },
      }),
    );
  }
}
