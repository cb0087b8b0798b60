import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import type { Device } from '../../devices/store/device.schema';
import { coalesce } from '../../infrastructure/mongo/coalesce';
import { isMissing } from '../../infrastructure/mongo/exists';
import { Message, type OutgoingMessage, QUEUE_INDEX } from '../../messages/message.schema';

/** A message that waits on the server. */
export type WaitingMessage = Pick<
  OutgoingMessage,
  '_id' | 'device' | 'smsBatch' | 'wave' | 'nextDispatchAt' | 'encryptedMessage'
>;

/** What decides whether a message can be moved. */
export type MovableState = Pick<
  Message,
  | '_id'
  | 'direction'
  | 'status'
  | 'device'
  | 'pool'
  | 'smsBatch'
  | 'wave'
  | 'pushStartedAt'
  | 'encryptedMessage'
  | 'deletedAt'
>;

export interface Move {
  readonly ids: readonly Types.ObjectId[];
  /** Only messages of this phone; absent: of any. */
  readonly from?: Types.ObjectId;
  readonly to: Pick<Device, '_id' | 'supportsEncryption'>;
  /** Whether messages of a pool leave it, because their owner has chosen the phone. */
  readonly leavesPool: boolean;
}

/** Where a page of waiting messages starts. */
export type WaitingPosition = Pick<WaitingMessage, '_id' | 'nextDispatchAt'>;

const WAITING_FIELDS = {
  ...{ device: 1, smsBatch: 1, wave: 1, nextDispatchAt: 1 },
  encryptedMessage: 1,
} as const;

/** Nobody has it, and nobody is pushing it; what was offered to a stream and not taken is given up by the move. */
const NEVER_HANDED_OVER = { status: 'pending' as const, pushStartedAt: { $exists: false } };

/** A move keeps these waits; every other wait is about the phone or SIM that the message leaves. */
const KEPT_WAITS = ['paused', 'quiet_hours'];

/** Moves messages that were never handed over to another phone. */
@Injectable()
export class MessageMovesRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** Lists what waits for a phone and another one can send, in the order in which it is due. */
  listWaiting(
    { user }: AccountScope,
    device: Types.ObjectId,
    to: Move['to'],
    after: WaitingPosition | undefined,
    limit: number,
  ): Promise<WaitingMessage[]> {
    return this.messages
      .find(
        { user, device, ...NEVER_HANDED_OVER, ...readableBy(to), ...(after && comesAfter(after)) },
        WAITING_FIELDS,
      )
      .sort({ nextDispatchAt: 1, _id: 1 })
      .limit(limit)
      .hint(QUEUE_INDEX)
      .lean<WaitingMessage[]>();
  }

  findStates({ user }: AccountScope, ids: readonly Types.ObjectId[]): Promise<MovableState[]> {
    return this.messages
      .find(
        { _id: { $in: ids }, user },
        {
          ...{ direction: 1, status: 1, device: 1, pool: 1, smsBatch: 1, wave: 1 },
          ...{ pushStartedAt: 1, encryptedMessage: 1, deletedAt: 1 },
        },
      )
      .lean<MovableState[]>();
  }

  /**
   * Moves messages to another phone, each by one conditional write, unless a worker has claimed them for a push or they were handed over,
   * cancelled or moved meanwhile. A SIM of the new phone is chosen for them; scheduled, paused and quiet messages keep their times.
   * @returns how many.
   */
  async move({ user }: AccountScope, { ids, from, to, leavesPool }: Move, now: Date): Promise<number> {
    const endsWait = {
      $not: [{ $in: [{ $ifNull: ['$waitingFor.reason', KEPT_WAITS[0]] }, KEPT_WAITS] }],
    };
    const keepsWait = { $not: [isMissing('$waitingFor')] };
    const dueAt = { $max: [now, { $ifNull: ['$dispatchDueAt', now] }] };
    const atOtherPhone = { device: { $ne: to._id } };
    const isElsewhere = leavesPool ? { $or: [atOtherPhone, { pool: { $exists: true } }] } : atOtherPhone;
    const result = await this.messages.updateMany(
      {
        _id: { $in: ids },
        user,
        ...(from ? { device: from } : isElsewhere),
        direction: 'sent',
        ...NEVER_HANDED_OVER,
        ...readableBy(to),
      },
      [
        {
          $set: {
            device: to._id,
            nextDispatchAt: {
              $cond: [endsWait, now, { $cond: [keepsWait, coalesce('$nextDispatchAt'), dueAt] }],
            },
            dispatchDueAt: { $cond: [endsWait, now, coalesce('$dispatchDueAt')] },
            waitingFor: { $cond: [endsWait, '$$REMOVE', coalesce('$waitingFor')] },
            movedFrom: {
              $cond: [{ $eq: ['$device', to._id] }, coalesce('$movedFrom'), { device: '$device', at: now }],
            },
            updatedAt: now,
          },
        },
        {
          $unset: [
            ...['pushClaim', 'sim', 'simSubscriptionId', 'isSimChosen', 'simReservation', 'choice'],
            ...['paceSlot', 'giveUpAt', 'unavailableSince', 'moveDueAt', ...(leavesPool ? ['pool'] : [])],
          ],
        },
      ],
      { updatePipeline: true },
    );
    return result.modifiedCount;
  }
}

const readableBy = ({ supportsEncryption }: Move['to']) =>
  supportsEncryption ? {} : { encryptedMessage: { $exists: false } };

function comesAfter({ _id, nextDispatchAt }: WaitingPosition) {
  return nextDispatchAt === undefined
    ? { $or: [{ nextDispatchAt: { $exists: true } }, { _id: { $gt: _id } }] }
    : {
        nextDispatchAt: { $gte: nextDispatchAt },
        $or: [{ nextDispatchAt: { $gt: nextDispatchAt } }, { _id: { $gt: _id } }],
      };
}
