import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { Coalescer, latestOf } from '../common/coalescer';
import { idsOf } from '../common/documents';
import { sum } from '../common/sum';
import { exists, isMissing } from '../infrastructure/mongo/exists';
import { ofAccounts, type OwnedId } from '../infrastructure/mongo/owned-ids';
import { Message, OutgoingMessage, REDELIVERY_INDEX } from './message.schema';
import type { MessageStatus } from './message-status';

/** The messages that are redelivered at a time: neither handed over too recently, nor too long ago. */
export interface RedeliveryWindow {
  readonly now: Date;
  /** Messages that were handed over at this time or earlier are not redelivered, whatever the phone has acknowledged since. */
  readonly handedOverAfter: Date;
  /** Bounds of `redeliverUntil`. */
  readonly after: Date;
  readonly latest: Date;
}

/** Acknowledgements of up to this many messages are written together with others. */
const MAX_BATCHED_MESSAGES = 20;

interface Acknowledgement {
  readonly sentBy: Pick<Message, 'user' | 'device'>;
  readonly ids: readonly Types.ObjectId[];
  readonly now: Date;
  readonly redeliverUntil?: Date;
}

/** What phones have been handed and have neither acknowledged nor reported: it is redelivered until they do. */
@Injectable()
export class MessageRedeliveryRepository {
  private readonly acknowledgementCoalescer = new Coalescer((acknowledgements: readonly Acknowledgement[]) =>
    this.writeAcknowledgements(acknowledgements),
  );

  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /**
   * Marks messages as received by the phone, which ends their redelivery. Acknowledgements that arrive together are
   * written together.
   * @param ids distinct ids.
   * @param redeliverUntil if they are redelivered later, unless they are reported on before.
   * @returns how many are messages sent by the device.
   */
  async acknowledge(
    account: AccountScope,
    device: Types.ObjectId,
    ids: readonly Types.ObjectId[],
    now: Date,
    redeliverUntil?: Date,
  ): Promise<number> {
    const acknowledgement = { sentBy: { user: account.user, device }, ids, now, redeliverUntil };
    if (ids.length <= MAX_BATCHED_MESSAGES) return this.acknowledgementCoalescer.submit(acknowledgement);
    return (await this.writeAcknowledgements([acknowledgement]))[0] ?? 0;
  }

  /**
   * Lists messages that the phone has neither acknowledged nor reported, oldest first.
   * @param except messages that are left out.
   */
  listRedeliverable(
    account: AccountScope,
    device: Types.ObjectId,
    window: RedeliveryWindow,
    limit: number,
    except: readonly Types.ObjectId[] = [],
  ): Promise<OutgoingMessage[]> {
    return this.messages
      .find({
        ...redeliverable(account, device, window),
        ...(except.length > 0 && { _id: { $nin: except } }),
      })
      .sort({ redeliverUntil: 1 })
      .limit(limit)
      .lean<OutgoingMessage[]>();
  }

  /** Lists messages with a cancellation request that the phone has not answered, oldest first. */
  async listCancelRequested(
    account: AccountScope,
    device: Types.ObjectId,
    window: RedeliveryWindow,
    limit: number,
  ): Promise<Types.ObjectId[]> {
    const found = await this.messages
      .find(
        { user: account.user, device, ...unacknowledged(window), cancelRequestedAt: { $exists: true } },
        { _id: 1 },
      )
      .sort({ redeliverUntil: 1 })
      .limit(limit)
      .lean();
    return idsOf(found);
  }

  /**
   * Of these devices, by id in hexadecimal, those for which `listRedeliverable` or `listCancelRequested` finds messages.
   * @param limit number of messages examined.
   * @returns undefined if there are as many: then any of the devices may be one.
   */
  async listUnacknowledgedDevices(
    devices: readonly OwnedId[],
    window: RedeliveryWindow,
    limit: number,
  ): Promise<ReadonlySet<string> | undefined> {
    const isRequested = {
      $or: [exists('$cancelRequestedAt'), isMissing('$validUntil'), { $gt: ['$validUntil', window.now] }],
    };
    const found = await this.messages
      .aggregate<{ _id: Types.ObjectId; examined: number; requested: number }>([
        { $match: { ...ofAccounts(devices), device: { $in: idsOf(devices) }, ...unacknowledged(window) } },
        { $limit: limit },
        {
          $group: {
            _id: '$device',
            examined: { $sum: 1 },
            requested: { $sum: { $cond: [isRequested, 1, 0] } },
          },
        },
      ])
      .hint(REDELIVERY_INDEX);
    if (sum(found, ({ examined }) => examined) >= limit) return undefined;
    return new Set(found.flatMap(({ _id, requested }) => (requested > 0 ? [_id.toHexString()] : [])));
  }

  countRedeliverable(
    account: AccountScope,
    device: Types.ObjectId,
    window: RedeliveryWindow,
  ): Promise<number> {
    return this.messages.countDocuments(redeliverable(account, device, window));
  }

  private async writeAcknowledgements(acknowledgements: readonly Acknowledgement[]): Promise<number[]> {
    const { now } = latestOf(acknowledgements);
    const conditions = acknowledgements.map(({ sentBy, ids }) => ({
      ...sentBy,
      _id: { $in: ids },
      direction: 'sent' as const,
    }));
    const ids = acknowledgements.flatMap((each) => each.ids);
    const { matchedCount } = await this.messages.updateMany(
      { ...ofAccounts(acknowledgements.map(({ sentBy }) => sentBy)), _id: { $in: ids }, $or: conditions },
      [
        {
          $set: {
            pushReceivedAt: { $ifNull: ['$pushReceivedAt', now] },
            redeliverUntil: redeliverAgain(acknowledgements),
          },
        },
      ],
      { updatePipeline: true },
    );
    if (matchedCount === ids.length) return acknowledgements.map((each) => each.ids.length);
    return Promise.all(conditions.map((condition) => this.messages.countDocuments(condition)));
  }
}

/** An expression: until when each message is redelivered that its phone has, and has not reported on. */
function redeliverAgain(acknowledgements: readonly Acknowledgement[]) {
  const again = acknowledgements.filter(({ redeliverUntil }) => redeliverUntil);
  if (again.length === 0) return '$$REMOVE';
  const branches = again.map(({ ids, redeliverUntil }) => ({
    case: { $and: [{ $in: ['$_id', ids] }, { $in: ['$status', ['dispatched', 'unknown']] }] },
    then: redeliverUntil,
  }));
  return { $switch: { branches, default: '$$REMOVE' } };
}

function redeliverable({ user }: AccountScope, device: Types.ObjectId, window: RedeliveryWindow) {
  return {
    user,
    device,
    ...unacknowledged(window),
    cancelRequestedAt: { $exists: false },
    validUntil: { $not: { $lte: window.now } },
  };
}

function unacknowledged({ after, latest, handedOverAfter }: RedeliveryWindow) {
  return {
    redeliverUntil: { $gt: after, $lte: latest },
    dispatchedAt: { $not: { $lte: handedOverAfter } },
    // Pending messages with `redeliverUntil` are being pushed.
    status: { $in: ['pending', 'dispatched', 'unknown'] as MessageStatus[] },
  };
}
