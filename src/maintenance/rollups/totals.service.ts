import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { type AccountScope, accountScope } from '../../auth/account-scope';
import { groupBy } from '../../common/group-by';
import { MaintenanceConfig } from '../../config/sections/maintenance.config';
import { HOUR_MS } from '../../common/durations';
import { type CountedSpan, dayOf } from './counts';
import { closableUntil } from './periods';
import { TotalsRepository } from './totals.repository';
import { COUNT_KINDS, type CountKind, type DayCounts, type HourlyCounts, type Totals } from './totals.schema';

/** Messages counted as sent and as received, removed ones included. */
export interface MessageTotals {
  readonly sent: number;
  readonly received: number;
}

const DAY_LENGTH = '2026-01-31'.length;
const EPOCH = new Date(0);
const NONE: MessageTotals = { sent: 0, received: 0 };

/**
 * The exact totals of devices and accounts: a stored part up to a time of the database, and the messages counted since
 * then. Closing a period moves messages from the second part to the first, in one conditional write per document.
 */
@Injectable()
export class TotalsService {
  constructor(
    private readonly repository: TotalsRepository,
    private readonly config: MaintenanceConfig,
  ) {}

  async ofAccount(account: AccountScope): Promise<MessageTotals> {
    return (await this.read(account, [account.user])).get(account.user.toHexString()) ?? NONE;
  }

  /** @returns the totals by the hex id of the device; none if the account has no such device. */
  async ofDevices(
    account: AccountScope,
    devices: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, MessageTotals>> {
    return this.read(account, devices);
  }

  /** The stored totals of these devices, or of the account itself, which are created if missing. */
  async findStored(account: AccountScope, owners: readonly Types.ObjectId[]): Promise<Totals[]> {
    const found = await this.repository.find(account, owners);
    if (found.length === owners.length) return found;
    await this.repository.createMissing(account);
    return this.repository.find(account, owners);
  }

  /**
   * Calls `add` for each hour with messages; for the hour that is not closed yet, twice.
   * @param owner a device, or the account itself.
   * @param span.isDaily the hours of finished days are added up as the first hour.
   */
  async readHours(
    account: AccountScope,
    owner: Types.ObjectId,
    { from, to, isDaily }: Required<CountedSpan> & { readonly isDaily: boolean },
    add: (hourMs: number, kind: CountKind, count: number) => void,
  ): Promise<void> {
    // Before the days: a day moves from here to its own document.
    const [totals] = await this.findStored(account, [owner]);
    if (!totals) return;
    const openFrom = new Date(Math.max(totals.through.getTime(), from.getTime()));
    const [days, open] = await Promise.all([
      this.repository.listDays(owner, dayOf(from), dayOf(to), isDaily),
      openFrom < to ? this.repository.countHours(account, { from: openFrom, to }) : [],
    ]);
    const finished = days.map((counts) => [counts._id.slice(-DAY_LENGTH), counts] as const);
    const stored = new Map<string, HourlyCounts | DayCounts>([
      ...finished,
      ...Object.entries(totals.days ?? {}),
    ]);
    for (const [day, counts] of stored) {
      const dayMs = Date.parse(day);
      for (const kind of COUNT_KINDS) {
        for (const [hour, count] of Object.entries(counts[kind] ?? {}))
          add(dayMs + Number(hour) * HOUR_MS, kind, count);
      }
    }
    const isAccount = owner.equals(account.user);
    for (const { device, hour, kind, count } of open)
      if (isAccount || device.equals(owner)) add(hour.getTime(), kind, count);
  }

  /**
   * Closes the periods up to `to`. Concurrent calls, and calls after an interrupted one, add every message once.
   * @param to a time of the database; all messages counted before it must be visible.
   * @returns up to where all totals of the account are closed.
   */
  async close(account: AccountScope, to: Date): Promise<Date> {
    await this.repository.createMissing(account);
    const open = (await this.repository.list(account)).filter(({ through }) => through < to);
    for (const owners of groupBy(open, ({ through }) => through.getTime()).values()) {
      const counts = await this.repository.countHours(account, { from: owners[0]?.through ?? to, to });
      await this.repository.advance(owners, to, ({ _id }) =>
        _id.equals(account.user) ? counts : counts.filter(({ device }) => device.equals(_id)),
      );
    }
    const closed = await this.repository.list(account);
    for (const owner of closed) await this.repository.storeFinishedDays(owner);
    return new Date(Math.min(to.getTime(), ...closed.map(({ through }) => through.getTime())));
  }

  /** Closes what may be closed of all accounts with traffic since `since`. @param now a time of the database. */
  async closeActive(since: Date, now: Date): Promise<void> {
    const span: CountedSpan = { from: this.closableUntil(since), to: this.closableUntil(now) };
    for (const user of await this.repository.listActiveAccounts(span)) {
      await this.close(accountScope(user), this.closableUntil(now));
    }
  }

  /** @param now a time of the database. */
  closableUntil(now: Date): Date {
    return closableUntil(now, this.config.rollupPeriodSeconds);
  }

  private async read(
    account: AccountScope,
    owners: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, MessageTotals>> {
    const result = new Map<string, MessageTotals>();
    const stored = await this.findStored(account, owners);
    for (const group of groupBy(stored, ({ through }) => through.getTime()).values()) {
      const isAccount = group.some(({ _id }) => _id.equals(account.user));
      const devices = isAccount ? undefined : group.map(({ _id }) => _id);
      const open = await this.repository.countOpen(account, group[0]?.through ?? EPOCH, devices);
      for (const { _id, sent, received } of group) {
        const own = isAccount ? open : open.filter(({ device }) => device.equals(_id));
        const of = (direction: string) =>
          own.reduce((total, each) => total + (each.direction === direction ? each.count : 0), 0);
        result.set(_id.toHexString(), { sent: sent + of('sent'), received: received + of('received') });
      }
    }
    return result;
  }
}
