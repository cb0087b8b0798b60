import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { AutoReply } from '../auto-replies/auto-reply.schema';
import { ConsentRecord } from '../records/consent-record.schema';
import { Suppression } from '../suppressions/suppression.schema';

/** Removes what identifies a person from blocks and records, which are found by the key of the number still, and the replies to it. */
@Injectable()
export class ConsentErasureRepository {
  constructor(
    @InjectModel(ConsentRecord.name) private readonly records: Model<ConsentRecord>,
    @InjectModel(Suppression.name) private readonly suppressions: Model<Suppression>,
    @InjectModel(AutoReply.name) private readonly replies: Model<AutoReply>,
  ) {}

  /** Repeatable. @param numberKey see `NumberKeys`. */
  async erase({ user }: AccountScope, numberKey: string): Promise<void> {
    const said = { words: 1, message: 1, reason: 1 } as const;
    await this.records.updateMany(
      { user, numberKey },
      { $set: { number: '' }, $unset: { ...said, person: 1, device: 1, simSubscriptionId: 1 } },
    );
    await this.suppressions.updateMany({ user, numberKey }, { $set: { number: '' }, $unset: said });
    await this.replies.deleteMany({ user, numberKey });
  }
}
