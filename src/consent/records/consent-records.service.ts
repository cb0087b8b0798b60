import { Injectable } from '@nestjs/common';
import type { AccountScope } from '../../auth/account-scope';
import { pageOf, type Position } from '../../messages/lists/message-cursor';
import { ConsentNumbers } from '../numbers/consent-numbers.service';
import { NumberKeys } from '../numbers/number-keys.service';
import type { ConsentRecord } from './consent-record.schema';
import { ConsentRecordsRepository } from './consent-records.repository';

export interface ConsentRecordQuery {
  /** In any spelling; absent: of all numbers. */
  readonly number?: string;
  readonly limit: number;
  readonly after?: Position;
}

export interface ConsentRecordPage {
  readonly records: readonly ConsentRecord[];
  readonly nextCursor: string | null;
}

@Injectable()
export class ConsentRecords {
  constructor(
    private readonly records: ConsentRecordsRepository,
    private readonly numbers: ConsentNumbers,
    private readonly keys: NumberKeys,
  ) {}

  /** Lists the decisions of an account, the latest first. */
  async list(
    account: AccountScope,
    { number, limit, after }: ConsentRecordQuery,
  ): Promise<ConsentRecordPage> {
    const keys = number === undefined ? undefined : await this.numbers.keysMatching(account, number);
    const found = await this.records.list(account, keys, after, limit + 1);
    const { items: records, nextCursor } = pageOf(found, limit, ({ at }) => at);
    return { records, nextCursor };
  }

  /**
   * The decision by which sends to a number were stopped at a time.
   * @param number in comparable form. @param topic of the send, if it declares one.
   */
  async findDecisive(
    account: AccountScope,
    number: string,
    topic: string | undefined,
    at: Date,
  ): Promise<ConsentRecord | null> {
    return this.records.findDecisive(account, await this.keys.keyOf(account, number), topic, at);
  }
}
