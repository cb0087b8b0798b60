import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { groupBy } from '../../common/group-by';
import { MaintenanceConfig } from '../../config/sections/maintenance.config';
import { HOUR_MS } from '../../common/durations';
import { byDevice, type CountedSpan, dayOf } from './counts';
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
 * of the account, if that is later than its own, and a device without stored totals has no messages before it.
 */
@Injectable()
export class TotalsService {
  constructor(
    private readonly repository: TotalsRepository,
    private readonly config: MaintenanceConfig,
  ) {}

  async ofAccount(account: AccountScope): Promise<MessageTotals> {
    const totals =
      (await this.repository.findSums(account)) ??
      (await this.findOrCreateOwn(account)) ??
      emptyTotals(account, account.user, EPOCH);
    return sumTotals(totals, await this.repository.countOpen(account, totals.through));
  }

  /** @returns the totals by the hex id of the device. */
  async ofDevices(
    account: AccountScope,
    devices: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<string, MessageTotals>> {
    const result = new Map<string, MessageTotals>();
    for (const [through, group] of await this.findComplete(account, devices)) {
      const ids = group.map(({ _id }) => _id);
      const open = byDevice(await this.repository.countOpen(account, new Date(through), ids));
      for (const totals of group) {
        const id = totals._id.toHexString();
        result.set(id, sumTotals(totals, open.get(id) ?? []));
      }
    }
    return result;
  }

  /** The totals of these devices, grouped by the time up to which they are complete. */
  private async findComplete(
    account: AccountScope,
    devices: readonly Types.ObjectId[],
  ): Promise<ReadonlyMap<number, Totals[]>> {
    // The account first: its `through` must not be later than the totals of the devices that are read.
    const own = (await this.findOrCreateOwn(account)) ?? emptyTotals(account, account.user, EPOCH);
    const found = await this.repository.find(account, devices);
    const stored = new Map(found.map((totals) => [totals._id.toHexString(), totals]));
    const all = devices.map((id) => stored.get(id.toHexString()) ?? emptyTotals(account, id, EPOCH));
    return groupBy(all, completeUntil(own));
  }

  /** The totals of the account, which are created if missing; undefined if it has never had a device. */
  private async findOrCreateOwn(account: AccountScope): Promise<Totals | undefined> {
    const [stored] = await this.repository.find(account, [account.user]);
    if (stored) return stored;
    await this.repository.createInitial(account);
    return (await this.repository.find(account, [account.user]))[0];
  }

  /**
   * Calls `add` for the hours with messages of the days from `from` to `to`, several times for an hour that is not closed yet.
   * @param owner a device, or the account itself.
   * @param span.isDaily the hours of finished days are added up as the first hour.
   */
  async readHours(
    account: AccountScope,
    owner: Types.ObjectId,
    { from, to, isDaily }: CountedSpan & { readonly isDaily: boolean },
    add: (hourMs: number, kind: CountKind, count: number) => void,
  ): Promise<void> {
    // Before the days: a day moves from here to its own document.
    const [[through, [totals]] = [0, []]] = await this.findComplete(account, [owner]);
    if (!totals) return;
    const openFrom = new Date(Math.max(through, from.getTime()));
    const [days, open] = await Promise.all([
      this.repository.listDays(owner, dayOf(from), dayOf(to), isDaily),
      openFrom < to ? this.repository.countByHour(account, { from: openFrom, to }) : [],
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
      if (isAccount || owner.equals(device)) add(hour.getTime(), kind, count);
  }

  /**
   * Closes the periods up to `to`. Concurrent calls, and calls after an interrupted one, add every message once.
   * @param to a time of the database; all messages counted before it must be visible.
   * @returns up to where all totals of the account are closed.
   */
  async close(account: AccountScope, to: Date): Promise<Date> {
    const own = await this.findOrCreateOwn(account);
    if (!own || own.through >= to) return own?.through ?? EPOCH;
    const counts = await this.repository.countByHour(account, { from: own.through, to });
    const active = byDevice(counts);
    const devices = await this.storedDevices(account, own, active);
    let isAdvanced = true;
    for (const [through, group] of groupBy(devices, completeUntil(own))) {
      if (through >= to.getTime()) continue;
      // An interrupted call has advanced these devices, but not the account.
      const isAhead = through > own.through.getTime();
      const from = new Date(through);
      const countsOf = isAhead ? byDevice(await this.repository.countByHour(account, { from, to })) : active;
      const ofDevice = ({ _id }: Totals) => countsOf.get(_id.toHexString()) ?? [];
      const counted = group.filter((totals) => ofDevice(totals).length > 0);
      isAdvanced &&= await this.repository.advance(counted, to, ofDevice);
    }
    // Another process has advanced a device, perhaps not as far: the next call continues from there.
    if (!isAdvanced) return own.through;
    isAdvanced = await this.repository.advance([own], to, () => counts);
    for (const owner of await this.repository.list(account)) await this.repository.storeFinishedDays(owner);
    return isAdvanced ? to : own.through;
  }

  /** The stored totals of all devices; missing ones of devices with messages in the period are created. */
  private async storedDevices(
    account: AccountScope,
    own: Totals,
    active: ReadonlyMap<string, unknown>,
  ): Promise<Totals[]> {
    const stored = await this.repository.list(account);
    const known = new Set(stored.map(({ _id }) => _id.toHexString()));
    const added = [...active.keys()]
      .filter((id) => !known.has(id))
      .map((id) => emptyTotals(account, new Types.ObjectId(id), own.through));
    await this.repository.insertMissing(added);
    return [...stored.filter(({ _id }) => !_id.equals(own._id)), ...added];
  }

  /** Closes the periods that are over. @param now a time of the database. @returns as `close`. */
  closeUntil(account: AccountScope, now: Date): Promise<Date> {
    return this.close(account, this.closableUntil(now));
  }

  /** Lists those of these accounts that received or sent messages in the periods that ended between two times of the database. */
  listActiveAccounts(users: readonly Types.ObjectId[], since: Date, now: Date): Promise<Types.ObjectId[]> {
    return this.repository.listActiveAccounts(users, {
      from: this.closableUntil(since),
      to: this.closableUntil(now),
    });
  }

  private closableUntil(now: Date): Date {
    return closableUntil(now, this.config.rollupPeriodSeconds);
  }
}

const completeUntil =
  (own: Totals) =>
  ({ through }: Totals): number =>
    Math.max(through.getTime(), own.through.getTime());

const emptyTotals = ({ user }: AccountScope, _id: Types.ObjectId, through: Date): Totals => ({
  _id,
  user,
  through,
  sent: 0,
  received: 0,
});

function sumTotals({ sent, received }: MessageTotals, open: readonly OpenCount[]): MessageTotals {
  const of = (direction: string) =>
    open.reduce((sum, each) => sum + (each.direction === direction ? each.count : 0), 0);
  return { sent: sent + of('sent'), received: received + of('received') };
}
