import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type PipelineStage, type Types } from 'mongoose';
import type { AccountScope } from '../../../auth/account-scope';
import type { WaitReason } from '../../../devices/states/wait-reasons';
import { coalesce } from '../../../infrastructure/mongo/coalesce';
import { firstCharacters } from '../../../messages/bounded-message';
import { Message, REDELIVERY_INDEX, QUEUE_INDEX } from '../../../messages/message.schema';
import { MAX_CODE_POINTS } from '../../send-input/send-limits';

/** The queue is read up to this number of messages, those due first. */
export const MAX_QUEUE_MESSAGES = 10_000;

/** Messages that wait on the server and differ in their recipients only. */
export interface WaitingGroup {
  readonly device: Types.ObjectId;
  /** Absent until it is chosen. */
  readonly sim?: Types.ObjectId;
  /** The subscription id that the request named. */
  readonly named?: number;
  readonly reason?: WaitReason;
  readonly until?: Date;
  readonly dueAt?: Date;
  readonly text: string;
  /** Characters of the encrypted text; absent if it is not encrypted. */
  readonly encryptedLength?: number;
  /** In comparable form, see `peerNumber` in `src/common`. */
  readonly recipients: readonly string[];
}

const orNull = (expression: unknown) => ({ $ifNull: [expression, null] });
const lengthOrNull = (field: string) => ({
  $cond: [{ $eq: [{ $type: field }, 'string'] }, { $strLenCP: field }, null],
});

const GROUPED_BY = {
  device: '$device',
  sim: orNull('$sim'),
  named: orNull('$simSubscriptionId'),
  reason: orNull('$waitingFor.reason'),
  until: orNull('$waitingFor.until'),
  dueAt: orNull('$nextDispatchAt'),
  text: orNull(firstCharacters('$message', MAX_CODE_POINTS)),
  encryptedLength: lengthOrNull('$encryptedMessage'),
};

/** Reads what waits on the server. */
@Injectable()
export class SendQueueRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** The messages of the account that wait, grouped. @param limit messages examined, those due first. */
  list(account: AccountScope, limit: number): Promise<WaitingGroup[]> {
    return this.messages
      .aggregate<WaitingGroup>([
        ...waiting(account, limit),
        {
          $group: {
            _id: GROUPED_BY,
            recipients: { $push: '$peerNumber' },
          },
        },
        {
          $project: {
            _id: 0,
            recipients: 1,
            ...Object.fromEntries(Object.keys(GROUPED_BY).map((field) => [field, coalesce(`$_id.${field}`)])),
            text: { $ifNull: ['$_id.text', ''] },
          },
        },
      ])
      .option({ hint: QUEUE_INDEX })
      .exec();
  }

  /** How many messages wait by device, by its hex id. @param limit messages examined, those due first. */
  countByDevice(account: AccountScope, limit: number): Promise<Map<string, number>> {
    return this.groupByDevice(waiting(account, limit), QUEUE_INDEX);
  }

  /**
   * How many messages were handed to these devices and neither acknowledged nor reported, by hex id.
   * @param devices of one account.
   * @param limit messages examined.
   */
  countUnanswered(
    { user }: AccountScope,
    devices: readonly Types.ObjectId[],
    limit: number,
  ): Promise<Map<string, number>> {
    const handedOver = { redeliverUntil: { $exists: true }, user, status: 'dispatched' };
    const stages = [{ $match: { device: { $in: [...devices] }, ...handedOver } }, { $limit: limit }];
    // Without the index, DocumentDB reads all messages of the devices.
    return this.groupByDevice(stages, REDELIVERY_INDEX);
  }

  private async groupByDevice(
    stages: PipelineStage[],
    hint: Record<string, 1 | -1>,
  ): Promise<Map<string, number>> {
    const found = await this.messages
      .aggregate<{ _id: Types.ObjectId; count: number }>([
        ...stages,
        { $group: { _id: '$device', count: { $sum: 1 } } },
      ])
      .option({ hint })
      .exec();
    return new Map(found.map(({ _id, count }) => [_id.toHexString(), count]));
  }
}

const waiting = ({ user }: AccountScope, limit: number): PipelineStage[] => [
  { $match: { user, status: 'pending' } },
  { $sort: { nextDispatchAt: 1 } },
  { $limit: limit },
];
