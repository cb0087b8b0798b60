import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { groupBy } from '../../common/group-by';
import { SharedReads } from '../../common/shared-reads';
import { mapInSlices, nextTurn } from '../../common/slices';
import { normalizePhoneNumber } from '../../common/phone-number';
import { DevicesRepository } from '../store/devices.repository';
import { type HealthSummary, summarizeHealth } from './health/sim-health';
import { isTimeZone } from './limits/calendar';
import { type LimitUsage, UsageState } from './limits/usage-state';
import { limitsOf } from './choose-phone-sim';
import { compareSlots } from './sim-report';
import { SimSync } from './sim-sync.service';
import { SimUsageRepository } from './sim-usage.repository';
import type { SimLimits, SimRecord } from './schemas/sim.schema';
import { SimNotFound } from './sims.errors';
import { reviewFields, SimsRepository } from './sims.repository';

/** More take milliseconds. */
const MAX_VIEWS_AT_ONCE = 100;

/** Limits to change; null removes one. */
export type SimLimitsPatch = { readonly [Limit in keyof SimLimits]?: SimLimits[Limit] | null };

/** Fields to change; null removes one. */
export interface SimPatch {
  readonly label?: string | null;
  readonly phoneNumber?: string | null;
  readonly enabled?: boolean;
  /** Forgets the failures of the SIM. */
  readonly resetHealth?: boolean;
  readonly limits?: SimLimitsPatch | null;
}

export interface SimView {
  readonly sim: SimRecord;
  /** What is used of each limit that is set. */
  readonly usage: Partial<Record<keyof SimLimits, LimitUsage>>;
  readonly health: HealthSummary;
}

/** The SIMs of an account, for their owner. */
@Injectable()
export class SimsService {
  private readonly lists = new SharedReads<readonly SimView[]>();

  constructor(
    private readonly sims: SimsRepository,
    private readonly usages: SimUsageRepository,
    private readonly devices: DevicesRepository,
    private readonly sync: SimSync,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists the SIMs of the account by phone, those of the oldest first and those in no phone last, and by slot. Creates the records
   * of phones that reported none yet. Concurrent callers share the list.
   */
  list(account: AccountScope): Promise<readonly SimView[]> {
    return this.lists.get(account.user.toHexString(), () => this.read(account));
  }

  private async read(account: AccountScope): Promise<readonly SimView[]> {
    const [devices, known] = await Promise.all([
      this.devices.listReportedSims(account),
      this.sims.list(account),
    ]);
    const hasNew = await this.sync.createMissing(account, devices, known, this.clock.now());
    const byDevice = groupBy(hasNew ? await this.sims.list(account) : known, ({ device }) => String(device));
    // Ids in hexadecimal sort before `undefined`.
    const phones = [...byDevice].sort(([one], [other]) => (one < other ? -1 : 1));
    return this.views(
      account,
      phones.flatMap(([, sims]) => sims.sort(compareSlots)),
    );
  }

  /** @throws SimNotFound */
  async get(account: AccountScope, id: Types.ObjectId): Promise<SimView> {
    return this.viewOf(account, await this.sims.find(account, id));
  }

  /**
   * Changes a SIM. Messages that wait for it are decided on again within seconds.
   * @throws SimNotFound
   */
  async update(account: AccountScope, id: Types.ObjectId, patch: SimPatch): Promise<SimView> {
    const now = this.clock.now();
    const sim = await this.sims.find(account, id);
    if (!sim) throw new SimNotFound();
    const { enabled, limits, resetHealth = false } = patch;
    const timeZone = limits && (await this.defaultTimeZone(account, sim, limits));
    const changes = Object.entries({ ...changesOf(patch), ...timeZone }).filter(
      ([, value]) => value !== undefined,
    );
    const affectsWaiting = enabled !== undefined || limits !== undefined || resetHealth;
    const update = {
      set: {
        ...Object.fromEntries(changes.filter(([, value]) => value !== null)),
        ...(affectsWaiting && reviewFields(now)),
      },
      unset: [
        ...changes.filter(([, value]) => value === null).map(([path]) => path),
        ...(resetHealth ? ['health', 'healthVersion', 'healthDueAt'] : []),
      ],
    };
    return this.viewOf(account, await this.sims.update(account, id, update, now));
  }

  /**
   * The SIMs in these phones of the account, by hex id of the phone. Takes at most two queries.
   * @param which `notable`: only those that can be the cause of a problem, which most are not.
   */
  async listPresent(
    account: AccountScope,
    devices: readonly Types.ObjectId[],
    which: 'all' | 'notable' = 'all',
  ): Promise<ReadonlyMap<string, SimView[]>> {
    if (devices.length === 0) return new Map();
    const sims =
      which === 'all'
        ? [...(await this.sims.findPresent(devices)).values()].flat()
        : await this.sims.findNotable(devices);
    const own = sims.filter(({ user }) => user.equals(account.user)).sort(compareSlots);
    return groupBy(await this.views(account, own), ({ sim }) => String(sim.device));
  }

  /** The subscription ids of the disabled SIMs in a phone. */
  async listDisabled(
    account: AccountScope,
    device: Types.ObjectId,
  ): Promise<ReadonlySet<number | undefined>> {
    const present = await this.sims.listPresent(account, device);
    return new Set(present.filter(({ enabled }) => !enabled).map(({ subscriptionId }) => subscriptionId));
  }

  /** The time zone that the phone reports, for the first limits of its SIM. */
  private async defaultTimeZone(
    account: AccountScope,
    { device, limits: stored }: SimRecord,
    { timeZone }: SimLimitsPatch,
  ): Promise<object> {
    const isGiven = timeZone === undefined ? stored?.timeZone !== undefined : timeZone !== null;
    if (isGiven || !device) return {};
    const reported = (await this.devices.find(account, device))?.systemInfo?.timezone;
    return reported !== undefined && isTimeZone(reported) ? { 'limits.timeZone': reported } : {};
  }

  private async viewOf(account: AccountScope, sim: SimRecord | null): Promise<SimView> {
    const [view] = sim ? await this.views(account, [sim]) : [];
    if (!view) throw new SimNotFound();
    return view;
  }

  private async views(account: AccountScope, sims: readonly SimRecord[]): Promise<SimView[]> {
    const now = this.clock.now();
    const limited = sims.filter(limitsOf).map(({ _id }) => _id);
    const usages = await this.usages.find(account, limited);
    // Of several accounts or callers, one is continued in each turn.
    if (sims.length > MAX_VIEWS_AT_ONCE) await nextTurn();
    return mapInSlices(sims, (sim) => {
      const limits = limitsOf(sim);
      const usage = usages.get(sim._id.toHexString());
      return {
        sim,
        usage: limits ? new UsageState(usage, limits, now.getTime()).summary() : {},
        health: summarizeHealth(sim.health, now),
      };
    });
  }
}

/** The changed fields by path; null removes one. */
function changesOf({ limits, label, phoneNumber, enabled }: SimPatch): Record<string, unknown> {
  const ofLimits = Object.entries(limits ?? {}).map(([limit, value]) => [`limits.${limit}`, value] as const);
  return {
    label,
    enabled,
    phoneNumber: typeof phoneNumber === 'string' ? normalizePhoneNumber(phoneNumber) : phoneNumber,
    ...(limits === null ? { limits } : Object.fromEntries(ofLimits)),
  };
}
