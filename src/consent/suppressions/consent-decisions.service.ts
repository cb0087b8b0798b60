import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { NumberKeys } from '../numbers/number-keys.service';
import { ConsentRecordsRepository } from '../records/consent-records.repository';
import {
  ALL_TOPICS,
  type ConsentDecision,
  type ConsentRecord,
  type ConsentSource,
} from '../records/consent-record.schema';
import type { SuppressionCovers } from './suppression.schema';
import { SuppressionsRepository } from './suppressions.repository';

/** A decision about a number, by the person or by the owner of the account. */
export interface Decision {
  /** In comparable form, see `peerNumber` in `src/common`. */
  readonly number: string;
  /** Absent: all topics. Liftings are of all topics. */
  readonly topic?: string;
  readonly state: ConsentDecision;
  readonly covers: SuppressionCovers;
  /** When a text was received, or the owner decided. */
  readonly at: Date;
  readonly source: ConsentSource;
  readonly words?: string;
  readonly message?: Types.ObjectId;
  readonly device?: Types.ObjectId;
  readonly simSubscriptionId?: number;
  readonly reason?: string;
  /** Who decided on a page. */
  readonly person?: string;
  /** The same for repeated uploads of a text. */
  readonly uploadKey?: string;
}

/** Records decisions about numbers, and applies them to their blocks. */
@Injectable()
export class ConsentDecisions {
  constructor(
    private readonly keys: NumberKeys,
    private readonly records: ConsentRecordsRepository,
    private readonly suppressions: SuppressionsRepository,
  ) {}

  /**
   * Repeatable, in any order: a decision that is older than the one that a block has does not undo it. Of a text that was uploaded before,
   * the first record counts.
   * @returns the record.
   */
  async record(account: AccountScope, decision: Decision): Promise<ConsentRecord> {
    const { covers, topic = ALL_TOPICS, ...said } = decision;
    const numberKey = await this.keys.keyOf(account, said.number);
    const record = await this.records.add(account, { ...said, numberKey, topic });
    const { state, words, message, reason } = record;
    const stored = {
      ...{ numberKey, number: record.number, covers, at: record.at, source: record.source },
      ...(words !== undefined && { words }),
      ...(message && { message }),
      ...(reason !== undefined && { reason }),
    };
    if (state === 'in') await this.suppressions.lift(account, { ...stored, state: 'lifted' });
    else {
      const block = { ...stored, topic: record.topic };
      if (state === 'out') await this.suppressions.block(account, { ...block, state });
      else await this.suppressions.hold(account, { ...block, state });
      if (record.topic !== ALL_TOPICS) await this.suppressions.liftOlder(account, numberKey);
    }
    return record;
  }

  /** Records that the owner lifts one block, and lifts it. Repeatable. */
  async recordLifting(
    account: AccountScope,
    id: Types.ObjectId,
    decision: Omit<Decision, 'state' | 'covers'>,
  ): Promise<void> {
    const { topic = ALL_TOPICS, ...said } = decision;
    const numberKey = await this.keys.keyOf(account, said.number);
    await this.records.add(account, { ...said, numberKey, topic, state: 'in' });
    await this.suppressions.liftOne(account, id, said);
  }
}
