import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { SECOND_MS } from '../common/durations';
import { groupBy } from '../common/group-by';
import { MaintenanceConfig } from '../config/sections/maintenance.config';
import { closableUntil } from './periods';
import { sumsOf, TotalsRepository } from './totals.repository';
import type { MessageTotals } from './totals.schema';

/** The counts of a period must fit in a document. */
const MAX_COUNTS_OF_PERIOD = 50_000;

/**
 * The exact totals of accounts and devices: a stored part up to a time of the database, and the messages counted since then.
 * Closing a period moves messages from the second part to the first, in one conditional write to the totals of the account.
 * The same write stores the counts of the period. They are added to devices and days before the next period is closed;
 * until then, readers add them.
 */
@Injectable()
export class TotalsService {
  constructor(
    private readonly repository: TotalsRepository,
    private readonly config: MaintenanceConfig,
  ) {}

  get intervalMs(): number {
    return this.config.rollupPeriodSeconds * SECOND_MS;
  }

  async ofAccount(account: AccountScope): Promise<MessageTotals> {
    const stored = await this.repository.findSums(account);
    return sumsOf(await this.repository.countSince(account, stored.through), stored);
  }

  /** @returns the totals by the hex id of the device. */
  async ofDevices(
    account: AccountScope,
    devices: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, MessageTotals>> {
    let { through, lastPeriod = [] } = await this.repository.find(account);
    const read = () =>
      Promise.all([
        this.repository.listOfDevices(account, devices),
        this.repository.countSince(account, through, devices),
      ]);
    let [stored, open] = await read();
    while (stored.some((totals) => totals.through > through)) {
      const totals = await this.repository.find(account);
      // Otherwise another period was closed meanwhile. Without one, the account was stored without its last period, such as by
      // a restored backup, and reading again would change nothing.
      if (totals.through <= through) break;
      ({ through, lastPeriod = [] } = totals);
      [stored, open] = await read();
    }
    const storedById = new Map(stored.map((totals) => [totals._id.toHexString(), totals]));
    const included = new Set(
      stored.filter((totals) => totals.through >= through).map(({ _id }) => String(_id)),
    );
    const recent = [...lastPeriod.filter(({ device }) => !included.has(String(device))), ...open];
    const recentById = groupBy(recent, ({ device }) => String(device));
    const ids = devices.map((device) => device.toHexString());
    return new Map(ids.map((id) => [id, sumsOf(recentById.get(id), storedById.get(id))]));
  }

  /**
   * Closes the periods up to `to`. Concurrent calls, and calls after an interrupted one, add every message once.
   * @param to a time of the database; all messages counted before it must be visible.
   * @returns up to where the totals are closed.
   */
  async close(account: AccountScope, to: Date): Promise<Date> {
    for (;;) {
      const totals = await this.repository.find(account);
      const { through: from } = totals;
      if (from >= to) return from;
      await this.repository.addLastPeriod(totals);
      let end = to;
      let counts = await this.repository.countAll(account, from, end);
      while (counts.length > MAX_COUNTS_OF_PERIOD) {
        end = new Date((from.getTime() + end.getTime()) / 2);
        counts = await this.repository.countAll(account, from, end);
      }
      // An account without messages, perhaps one that is being erased, gets no document.
      if (counts.length === 0 && end === to && from.getTime() === 0) return to;
      await this.repository.closePeriod(totals, end, counts);
    }
  }

  /** Closes the periods that are over. @param now a time of the database. @returns as `close`. */
  maintain(account: AccountScope, now: Date): Promise<Date> {
    return this.close(account, closableUntil(now, this.config));
  }

  /** Lists those of these accounts that received or sent messages in the periods that ended between two times of the database. */
  listActive(users: readonly Types.ObjectId[], since: Date, now: Date): Promise<Types.ObjectId[]> {
    const from = closableUntil(since, this.config);
    return this.repository.listActive(users, from, closableUntil(now, this.config));
  }
}
