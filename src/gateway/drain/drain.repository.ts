import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { isMissing } from '../../infrastructure/mongo/exists';
import { Model, type Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Message } from '../../messages/message.schema';
import { UNSETTLED_STATUSES } from '../../messages/message-status';

/** The messages of a draining device that are not settled. */
export interface DrainCounts {
  /** They wait on the server, and go out from it. */
  readonly remaining: number;
  /** The phone has, or may have, them and has not reported them. */
  readonly unreported: number;
  /** They belong to pools and are not handed to it: other SIMs will send them. */
  readonly reassigned: number;
}

@Injectable()
export class DrainRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  async count(account: AccountScope, device: Types.ObjectId): Promise<DrainCounts> {
    const counts = await this.countByDevice(account, [device]);
    return counts.get(device.toHexString()) ?? { remaining: 0, unreported: 0, reassigned: 0 };
  }

  /** The counts by hex id of the device; devices without such messages have none. Reads all messages of the devices. */
  async countByDevice(
    account: AccountScope,
    devices: readonly Types.ObjectId[],
  ): Promise<Map<string, DrainCounts>> {
    const isPending = { $eq: ['$status', 'pending'] };
    const isPooled = { $eq: [{ $type: '$pool' }, 'objectId'] };
    const isUnclaimed = isMissing('$pushStartedAt');
    const isMoving = { $eq: [{ $type: '$moveDueAt' }, 'date'] };
    const isReassigned = { $and: [isPooled, isUnclaimed, { $or: [isPending, isMoving] }] };
    const count = (condition: object) => ({ $sum: { $cond: [condition, 1, 0] } });
    const found = await this.messages.aggregate<DrainCounts & { readonly _id: Types.ObjectId }>([
      {
        $match: {
          user: account.user,
          device: { $in: [...devices] },
          status: { $in: [...UNSETTLED_STATUSES] },
        },
      },
      {
        $group: {
          _id: '$device',
          remaining: count({ $and: [isPending, { $not: [isReassigned] }] }),
          unreported: count({ $not: [{ $or: [isPending, isReassigned] }] }),
          reassigned: count(isReassigned),
        },
      },
    ]);
    return new Map(found.map(({ _id, ...counts }) => [_id.toHexString(), counts]));
  }
}
