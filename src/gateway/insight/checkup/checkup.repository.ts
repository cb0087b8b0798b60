import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, type Types } from 'mongoose';
import type { AccountScope } from '../../../auth/account-scope';
import { Message } from '../../../messages/message.schema';

const FIELDS = {
  ...{ direction: 1, status: 1, errorCode: 1, failedAt: 1, sentAt: 1, dispatchedAt: 1 },
  ...{ settledAt: 1, receivedAt: 1, createdAt: 1, repairedFields: 1 },
} as const;

type StoredFields = Pick<Message, Exclude<keyof typeof FIELDS, 'repairedFields'>>;

export interface RecentMessage extends StoredFields {
  /** Whether its time is that of the service, because the phone reported none that can be right. */
  readonly isTimeReplaced: boolean;
}

/** The messages that tell how a phone does. */
@Injectable()
export class CheckupRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** The newest messages of a device since a time, newest first. */
  async listRecent(
    { user }: AccountScope,
    device: Types.ObjectId,
    since: Date,
    limit: number,
  ): Promise<RecentMessage[]> {
    const found = await this.messages
      .find({ user, device, createdAt: { $gte: since } }, FIELDS)
      .sort({ createdAt: -1, _id: -1 })
      .limit(limit)
      .lean<(StoredFields & Pick<Message, 'repairedFields'>)[]>();
    return found.map(({ repairedFields, ...message }) => ({
      ...message,
      isTimeReplaced: repairedFields?.includes('receivedAt') ?? false,
    }));
  }
}
