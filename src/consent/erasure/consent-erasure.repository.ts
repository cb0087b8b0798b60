import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { ConsentRecord } from '../records/consent-record.schema';
import { Suppression } from '../suppressions/suppression.schema';

/** Removes what identifies a person from blocks and records, which are found by the key of the number still. */
@Injectable()
export class ConsentErasureRepository {
  constructor(
    @InjectModel(ConsentRecord.name) private readonly records: Model<ConsentRecord>,
    @InjectModel(Suppression.name) private readonly suppressions: Model<Suppression>,
  ) {}

  /** Repeatable. @param numberKey see `NumberKeys`. */
  async erase({ user }: AccountScope, numberKey: string): Promise<void> {
    const said = { words: 1, message: 1, reason: 1 } as const;
    await this.records.updateMany(
      { user, numberKey },
      { $set: { number: '' }, $unset: { ...said, device: 1, simSubscriptionId: 1 } },
    );
    await this.suppressions.updateMany({ user, numberKey }, { $set: { number: '' }, $unset: said });
  }
}
