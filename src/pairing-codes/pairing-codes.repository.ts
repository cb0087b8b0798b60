import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { Model, Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { insertUnlessDuplicate } from '../infrastructure/mongo/duplicate-key';
import { PairingCode } from './pairing-code.schema';

/** What the redemption of a code stores. */
export type Redemption = Required<Pick<PairingCode, 'redeemedAt' | 'fingerprint' | 'device'>>;
export type RedeemedCode = PairingCode & Redemption;

@Injectable()
export class PairingCodesRepository {
  constructor(@InjectModel(PairingCode.name) private readonly codes: Model<PairingCode>) {}

  /** @returns false if another code has the same hash. */
  insert(code: PairingCode): Promise<boolean> {
    return insertUnlessDuplicate(this.codes, code);
  }

  find(account: AccountScope, id: Types.ObjectId): Promise<PairingCode | null> {
    return this.codes.findOne({ _id: id, user: account.user }).lean<PairingCode>();
  }

  /** Redeems a valid, unused code in one conditional write: of concurrent calls, one gets it and the others get null. */
  redeem(hash: string, redemption: Redemption): Promise<RedeemedCode | null> {
    return this.codes
      .findOneAndUpdate(
        { hash, redeemedAt: { $exists: false }, expiresAt: { $gt: redemption.redeemedAt } },
        { $set: redemption },
        { returnDocument: 'after' },
      )
      .lean<RedeemedCode>();
  }

  /** Finds a code that the same request has redeemed after `since`. */
  findRedeemed(hash: string, fingerprint: string, since: Date): Promise<RedeemedCode | null> {
    return this.codes.findOne({ hash, fingerprint, redeemedAt: { $gt: since } }).lean<RedeemedCode>();
  }

  /** Removes the codes of the account but the newest ones. */
  async removeAllButNewest(account: AccountScope, limit: number): Promise<void> {
    const newest = await this.codes
      .find({ user: account.user }, { _id: 1 })
      .sort({ createdAt: -1 })
      .limit(2 * limit)
      .lean();
    const excess = newest.slice(limit).map(({ _id }) => _id);
    if (excess.length > 0) await this.codes.deleteMany({ _id: { $in: excess }, user: account.user });
  }
}
