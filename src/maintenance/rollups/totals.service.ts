import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { type AccountScope, accountScope } from '../../auth/account-scope';
import { groupBy } from '../../common/group-by';
import { MaintenanceConfig } from '../../config/sections/maintenance.config';
import { HOUR_MS } from '../../common/durations';
import { type CountedSpan, dayOf } from './counts';
import { closableUntil } from './periods';
import { type OpenCount, TotalsRepository } from './totals.repository';
import { COUNT_KINDS, type CountKind, type DayCounts, type HourlyCounts, type Totals } from './totals.schema';

/** Messages counted as sent and as received, removed ones included. */
export interface MessageTotals {
  readonly sent: number;
  readonly received: number;
}

const DAY_LENGTH = '2026-01-31'.length;
const EPOCH = new Date(0);

/**
 * The exact totals of devices and accounts: a stored part up to a time of the database, and the messages counted since
 * then. Closing a period moves messages from the second part to the first, in one conditional write per document: first
 * of the devices with messages in the period, then of the account. So the totals of a device are complete up to `through`
 * of the account, if that is later than its own.
 */
@Injectable()
export class TotalsService {
  constructor(
    private readonly repository: TotalsRepository,
    private readonly config: MaintenanceConfig,
  ) {}

  async ofAccount(account: AccountScope): Promise<MessageTotals> {
    const totals = await this.findOwn(account);
    return sumTotals(totals, await this.repository.countOpen(account, totals.through));
  }

  /** @returns the totals by the hex id of the device; none if the account has no such device. */
  async ofDevices(
    account: AccountScope,
    devices: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, MessageTotals>> {
    const result = new Map<string, MessageTotals>();
    for (const [through, group] of await this.findComplete(account, devices)) {
      const ids = group.map(({ _id }) => _id);
      const open = groupBy(await this.repository.countOpen(account, new Date(through), ids), ({ device }) =>
        device.toHexString(),
      );
      for (const totals of group) {
        const id = totals._id.toHexString();
        result.set(id, sumTotals(totals, open.get(id) ?? []));
      }
    }
    return result;
  }

  /** The stored totals of these devices, grouped by the time up to which they are complete. */
  private async findComplete(
    account: AccountScope,
    devices: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<number, Totals[]>> {
    // The account first: its `through` must not be later than the totals of the devices that are read.
    const own = await this.findOwn(account);
    return groupBy(await this.findStored(account, devices), completeUntil(own));
  }

  private async findOwn(account: AccountScope): Promise<Totals> {
    const [own] = await this.findStored(account, [account.user]);
    return own ?? { _id: account.user, user: account.user, through: EPOCH, sent: 0, received: 0 };
  }

  /** The stored totals of these devices, or of the account itself, which are created if missing. */
  private async findStored(account: AccountScope, owners: readonly Types.ObjectId[]): Promise<Totals[]> {
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
    const [[through, [totals]] = [0, []]] = await this.findComplete(account, [owner]);
    if (!totals) return;
    const openFrom = new Date(Math.max(through, from.getTime()));
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
    const stored = await this.repository.list(account);
    const own = stored.find(({ _id }) => _id.equals(account.user));
    if (!own || own.through >= to) return own?.through ?? EPOCH;
    const devices = stored.filter((totals) => totals !== own);
    let isAdvanced = true;
    for (const [through, group] of groupBy(devices, completeUntil(own))) {
      if (through >= to.getTime()) continue;
      const span = { from: new Date(through), to };
      const counts = groupBy(await this.repository.countHours(account, span), ({ device }) =>
        device.toHexString(),
      );
      const active = group.filter(({ _id }) => counts.has(_id.toHexString()));
      isAdvanced &&= await this.repository.advance(
        active,
        to,
        ({ _id }) => counts.get(_id.toHexString()) ?? [],
      );
    }
    // Another process has advanced a device, perhaps not as far: the next call continues from there.
    if (!isAdvanced) return own.through;
    const counts = await this.repository.countHours(account, { from: own.through, to });
    isAdvanced = await this.repository.advance([own], to, () => counts);
    for (const owner of await this.repository.list(account)) await this.repository.storeFinishedDays(owner);
    return isAdvanced ? to : own.through;
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
}

const completeUntil =
  (own: Totals) =>
  ({ through }: Totals): number =>
    Math.max(through.getTime(), own.through.getTime());

function sumTotals({ sent, received }: Totals, open: readonly OpenCount[]): MessageTotals {
  const of = (direction: string) =>
    open.reduce((sum, each) => sum + (each.direction === direction ? each.count : 0), 0);
  return { sent: sent + of('sent'), received: received + of('received') };
}
