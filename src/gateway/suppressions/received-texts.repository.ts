import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { firstCharacters } from '../../messages/bounded-message';
import { Message, PEER_INDEX, RECEIVED_INDEX } from '../../messages/message.schema';

/** Longer texts are no keywords, see `readWords`. */
const MAX_CHARACTERS = 321;

const FIELDS = {
  device: 1,
  peerNumber: 1,
  message: firstCharacters('$message', MAX_CHARACTERS),
  simSubscriptionId: 1,
  fingerprint: 1,
  receivedAt: 1,
  createdAt: 1,
} as const;

export type ReceivedText = Pick<Message, '_id' | keyof typeof FIELDS>;

const NOT_DELETED = { deletedAt: { $exists: false } } as const;

/** Reads the texts that an account has received, without those that its owner has deleted. */
@Injectable()
export class ReceivedTextsRepository {
  constructor(@InjectModel(Message.name) private readonly messages: Model<Message>) {}

  /** Lists texts in the order of their senders. @param after the comparable form of a number; empty: from the first one. */
  listBySender({ user }: AccountScope, after: string, limit: number): Promise<ReceivedText[]> {
    return this.messages
      .aggregate<ReceivedText>([
        { $match: { user, peerNumber: { $gt: after }, direction: 'received', ...NOT_DELETED } },
        { $sort: { peerNumber: 1, countedAt: 1, _id: 1 } },
        { $limit: limit },
        { $project: FIELDS },
      ])
      .hint(RECEIVED_INDEX)
      .exec();
  }

  /** Lists the latest texts of one number. */
  listLatest({ user }: AccountScope, peerNumber: string, limit: number): Promise<ReceivedText[]> {
    return this.messages
      .aggregate<ReceivedText>([
        { $match: { user, peerNumber, direction: 'received', ...NOT_DELETED } },
        { $sort: { createdAt: -1, _id: -1 } },
        { $limit: limit },
        { $project: FIELDS },
      ])
      .hint(PEER_INDEX)
      .exec();
  }
}
