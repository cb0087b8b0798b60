import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { type AccountScope, accountScope } from '../../auth/account-scope';
import { HOUR_MS } from '../../common/durations';
import { KeyedQueue } from '../../common/keyed-queue';
import type { Device } from '../store/device.schema';
import { PoolsRepository } from './pools/pools.repository';
import { SimHealthService } from './sim-health.service';
import {
  defaultKey,
  isUpToDate,
  type KeyedReport,
  type KeyedSim,
  keyedReports,
  planReport,
  type SimChange,
} from './sim-report';
import { reviewFields, SimsRepository } from './sims.repository';
import { SimUsageRepository } from './sim-usage.repository';
import type { SimRecord } from './schemas/sim.schema';

/** Above what an account's phones can hold; a phone that invents SIMs fills no more. */
export const MAX_SIMS_PER_ACCOUNT = 1_000;

/** Of one phone in an hour; further ones are stored later, if it still reports them. */
const MAX_NEW_SIMS_PER_HOUR = 16;

/** Of those that were last in a phone, are in it no longer and were never used; those seen last stay. */
const MAX_UNUSED_SIMS_PER_PHONE = 16;

const MAX_ATTEMPTS = 5;

interface ReportingPhone {
  readonly account: AccountScope;
  readonly device: Types.ObjectId;
  readonly now: Date;
}

/** Keeps the SIMs of an account as its phones report them. */
@Injectable()
export class SimSync {
  private readonly reports = new KeyedQueue();

  constructor(
    private readonly sims: SimsRepository,
    private readonly usages: SimUsageRepository,
    private readonly pools: PoolsRepository,
    private readonly health: SimHealthService,
  ) {}

  /**
   * Stores the SIMs that a phone has just reported; writes nothing if nothing has changed. A SIM is where the latest report saw
   * it, by the server's clock, with its settings and usage. A report that keeps losing races is repaired by the next one.
   */
  async record(device: Device, now: Date): Promise<void> {
    const { _id, simInfo } = device;
    if (!simInfo) return;
    const account = accountScope(device.user);
    const reports = keyedReports(_id, simInfo.sims);
    if (isUpToDate(reports, await this.sims.listPresent(account, _id))) return;
    // Otherwise concurrent reports of one phone would count its new SIMs without each other's.
    await this.reports.run(_id.toHexString(), () => this.store({ account, device: _id, now }, reports));
  }

  private async store(phone: ReportingPhone, reports: readonly KeyedReport[]): Promise<void> {
    const { account, device: _id, now } = phone;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const present = await this.sims.listPresent(account, _id);
      if (isUpToDate(reports, present)) return;
      const keys = [defaultKey(_id), ...reports.flatMap((report) => report.keys)];
      const byKey = await this.sims.listByKeys(account, keys);
      const known = new Map([...present, ...byKey].map((sim) => [sim._id.toHexString(), sim]));
      const { updated, inserted, absent } = planReport(_id, reports, [...known.values()]);
      // First, because a card that replaces another may have its subscription id.
      if (absent.length > 0) await this.sims.markAbsent(account, _id, absent.map(idOf), now);
      const stored = [
        ...(await Promise.all(updated.map((change) => this.update(phone, change)))),
        ...(await this.insertAll(phone, inserted)),
      ];
      if (stored.every((each) => each)) return;
    }
  }

  /**
   * Creates the records that phones should have and that no report has created: those of a report that was interrupted, and
   * that of a phone without SIMs.
   * @param known all SIMs of the account.
   * @returns whether there were any.
   */
  async createMissing(
    account: AccountScope,
    devices: readonly Pick<Device, '_id' | 'simInfo'>[],
    known: readonly SimRecord[],
    now: Date,
  ): Promise<boolean> {
    const keys = new Set(known.map(({ key }) => key));
    const withSims = new Set(known.filter(({ isPresent }) => isPresent).map(({ device }) => String(device)));
    const missing = devices
      .filter(({ _id }) => !withSims.has(_id.toHexString()))
      .flatMap(({ _id, simInfo }) =>
        keyedReports(_id, simInfo?.sims ?? []).map((report) => ({ ...report, device: _id })),
      )
      .filter((report) => !report.keys.some((key) => keys.has(key)))
      .slice(0, Math.max(0, MAX_SIMS_PER_ACCOUNT - known.length));
    await Promise.all(
      missing.map(({ sim, keys: [key = ''], device }) =>
        // A report, whenever it came, is later than this.
        this.sims.insert(newSim({ account, device, now }, { ...sim, key }, new Date(0))),
      ),
    );
    return missing.length > 0;
  }

  /** Takes the SIMs out of a phone that is being deleted; removes those that only this phone could report. */
  async detach(account: AccountScope, device: Types.ObjectId, now: Date): Promise<void> {
    const own = (await this.sims.list(account)).filter((sim) => sim.device?.equals(device));
    if (own.length === 0) return;
    await this.sims.detach(account, own.filter(({ iccId }) => iccId !== undefined).map(idOf), now);
    const removed = own.filter(({ iccId }) => iccId === undefined);
    await this.remove(account, removed);
    await this.pools.removeSims(account, removed.map(idOf), now);
  }

  private async update(
    { account, device, now }: ReportingPhone,
    { record, set, isNew, duplicate }: SimChange,
  ): Promise<boolean> {
    const settings = duplicate && (await this.merge(account, record, duplicate, now));
    const found = isNew && reviewFields(now);
    return this.sims.storeReport(
      account,
      record._id,
      { ...settings, ...set, device, isPresent: true, ...found },
      now,
    );
  }

  /**
   * Continues usage, health and events of a duplicate in another record, and removes it. Can be repeated from any step.
   * @returns the settings of the duplicate that the other record lacks.
   */
  private async merge(
    account: AccountScope,
    into: SimRecord,
    from: SimRecord,
    now: Date,
  ): Promise<Partial<SimRecord>> {
    await this.usages.merge(account, into._id, from._id, now);
    await this.health.merge(into._id, from._id);
    const { label, phoneNumber, limits, enabled } = from;
    const settings = {
      ...(into.label === undefined && label !== undefined && { label }),
      ...(into.phoneNumber === undefined && phoneNumber !== undefined && { phoneNumber }),
      ...(into.limits === undefined && limits !== undefined && { limits }),
      ...(!enabled && { enabled }),
    };
    await this.sims.update(account, into._id, { set: settings }, now);
    await this.pools.replaceSim(account, from._id, into._id);
    await this.sims.moveEvents(account, into._id, from, now);
    await this.sims.remove(account, [from._id]);
    return settings;
  }

  /**
   * Stores new SIMs of a phone, as many as it may have.
   * @returns for each that it may have: false if the account has a SIM with its key.
   */
  private async insertAll(phone: ReportingPhone, sims: readonly KeyedSim[]): Promise<boolean[]> {
    if (sims.length === 0) return [];
    const { account, device, now } = phone;
    const known = await this.sims.list(account);
    const hourAgo = new Date(now.getTime() - HOUR_MS);
    const recent = known.filter((sim) => sim.device?.equals(device) && sim.createdAt > hourAgo);
    const allowed = sims.slice(0, Math.max(0, MAX_NEW_SIMS_PER_HOUR - recent.length));
    if (allowed.length === 0) return [];
    const left = known.length - (await this.removeUnused(phone, known, allowed.length));
    const room = Math.max(0, MAX_SIMS_PER_ACCOUNT - left);
    return Promise.all(allowed.slice(0, room).map((sim) => this.sims.insert(newSim(phone, sim))));
  }

  /**
   * Removes SIMs that are in no phone or pool, have no settings and were never used, those not seen for longest first: of the
   * phone, all but the last ones, and of the account if it has no room for new ones.
   * @returns their number.
   */
  private async removeUnused(
    { account, device }: ReportingPhone,
    known: readonly SimRecord[],
    newSims: number,
  ): Promise<number> {
    const candidates = known
      .filter(isUnused)
      .sort((one, other) => one.seenAt.getTime() - other.seenAt.getTime());
    const ofPhone = candidates.filter((sim) => sim.device?.equals(device));
    const surplus = ofPhone.slice(0, Math.max(0, ofPhone.length - MAX_UNUSED_SIMS_PER_PHONE));
    const isFull = known.length - surplus.length + newSims > MAX_SIMS_PER_ACCOUNT;
    if (surplus.length === 0 && !isFull) return 0;
    const pooled = new Set((await this.pools.list(account)).flatMap(({ sims }) => sims.map(String)));
    const removed = [...new Set([...surplus, ...(isFull ? candidates : [])])]
      .filter(({ _id }) => !pooled.has(_id.toHexString()))
      .slice(0, MAX_SIMS_PER_ACCOUNT / 10);
    await this.remove(account, removed);
    return removed.length;
  }

  private async remove(account: AccountScope, sims: readonly SimRecord[]): Promise<void> {
    if (sims.length === 0) return;
    await this.sims.remove(account, sims.map(idOf));
    await this.usages.remove(account, sims.map(idOf));
  }
}

const isUnused = ({ isPresent, enabled, label, phoneNumber, limits, health }: SimRecord): boolean =>
  !isPresent && enabled && [label, phoneNumber, limits, health].every((each) => each === undefined);

const idOf = ({ _id }: SimRecord): Types.ObjectId => _id;

const newSim = ({ account, device, now }: ReportingPhone, sim: KeyedSim, seenAt = now): SimRecord => ({
  _id: new Types.ObjectId(),
  user: account.user,
  ...sim,
  device,
  isPresent: true,
  enabled: true,
  seenAt,
  createdAt: now,
  updatedAt: now,
});
