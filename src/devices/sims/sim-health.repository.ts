import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import { type AnyBulkWriteOperation, Model, Types } from 'mongoose';
import { LiveHints } from '../../infrastructure/live/live-hints';
import { atOrBefore } from '../../infrastructure/mongo/at-or-before';
import { simEvent } from './sim-event';
import { SimRecord } from './schemas/sim.schema';
import { reviewFields } from './sims.repository';
import { type Breaker, breakerState } from './health/breaker';
import { healthDueAt, NEW_SIM_HEALTH, type SimHealth } from './health/sim-health';

const MAX_ATTEMPTS = 30;
/** The first attempts follow at once; later ones wait for a random part of this time. */
const MAX_PAUSE_MS = 50;

/** The health, and what is part of its event. */
const STORED_FIELDS = {
  user: 1,
  health: 1,
  healthVersion: 1,
  device: 1,
  isPresent: 1,
  label: 1,
  phoneNumber: 1,
  carrierName: 1,
  subscriptionId: 1,
} as const;

type StoredHealth = Pick<SimRecord, '_id' | Exclude<keyof typeof STORED_FIELDS, 'health'>> & {
  readonly health?: SimHealth;
};

export interface HealthChange {
  readonly sim: Types.ObjectId;
  readonly before: SimHealth;
  readonly after: SimHealth;
}

/**
 * The health of SIMs of all accounts. Each change reads it, decides in memory and stores it if no other process has changed it
 * in between, so that the rules exist once, as pure functions.
 */
@Injectable()
export class SimHealthRepository {
  constructor(
    @InjectModel(SimRecord.name) private readonly sims: Model<SimRecord>,
    private readonly hints: LiveHints,
  ) {}

  /**
   * Changes the health of SIMs; those that do not exist any more are left out.
   * @param apply may run several times for a SIM; its last result counts. The same object: write nothing.
   * @param isMerge whether it brings the health of another record, whose event was raised.
   * @returns what was changed.
   * @throws Error if other processes keep changing a SIM.
   */
  async change(
    sims: readonly Types.ObjectId[],
    apply: (health: SimHealth, sim: Types.ObjectId) => SimHealth,
    now: Date,
    isMerge = false,
  ): Promise<HealthChange[]> {
    const changed: HealthChange[] = [];
    let remaining = sims;
    for (let attempt = 1; remaining.length > 0; attempt++) {
      if (attempt > MAX_ATTEMPTS)
        throw new Error(`The health of SIMs changes too often: ${remaining.map(String).join(', ')}`);
      if (attempt > 3) await sleep(Math.random() * MAX_PAUSE_MS);
      const changes = (await this.read(remaining)).flatMap((stored) => {
        const before = stored.health ?? NEW_SIM_HEALTH;
        const after = apply(before, stored._id);
        return after === before ? [] : [{ sim: stored._id, stored, before, after, isMerge }];
      });
      const written = await this.write(changes, now);
      changed.push(...changes.filter(({ sim }) => written.has(sim.toHexString())));
      remaining = changes.map(({ sim }) => sim).filter((sim) => !written.has(sim.toHexString()));
    }
    return changed;
  }

  /** SIMs of which a delivery or a canary has timed out. */
  async listDue(now: Date, limit: number): Promise<Types.ObjectId[]> {
    const due = await this.sims
      .find({ healthDueAt: atOrBefore(now) }, { _id: 1 })
      .sort({ healthDueAt: 1 })
      .limit(limit)
      .lean();
    return due.map(({ _id }) => _id);
  }

  /** The breakers that are not closed. */
  async listOpenBreakers(limit: number): Promise<Breaker[]> {
    const open = await this.sims
      .find({ 'health.breaker': { $exists: true }, 'health.breaker.closedAt': null }, { 'health.breaker': 1 })
      .limit(limit)
      .lean<StoredHealth[]>();
    return open.flatMap(({ health }) => health?.breaker ?? []);
  }

  /** @returns undefined if nothing was recorded. */
  async find(sim: Types.ObjectId): Promise<SimHealth | undefined> {
    const [stored] = await this.read([sim]);
    return stored?.health;
  }

  private read(sims: readonly Types.ObjectId[]): Promise<StoredHealth[]> {
    return this.sims.find({ _id: { $in: sims } }, STORED_FIELDS).lean<StoredHealth[]>();
  }

  /** @returns the SIMs that no other process had changed. */
  private async write(changes: readonly PlannedChange[], now: Date): Promise<ReadonlySet<string>> {
    if (changes.length === 0) return new Set();
    const version = new Types.ObjectId();
    const ids = changes.map(({ sim }) => sim);
    const { modifiedCount } = await this.sims.bulkWrite(
      changes.map((change) => changeWrite(change, version, now)),
      { ordered: false },
    );
    // The result does not tell which of several were written.
    const written =
      modifiedCount === ids.length
        ? ids
        : (await this.sims.find({ _id: { $in: ids }, healthVersion: version }, { _id: 1 }).lean()).map(
            ({ _id }) => _id,
          );
    const writtenIds = new Set(written.map((id) => id.toHexString()));
    for (const change of changes)
      if (affectsWaiting(change) && writtenIds.has(change.sim.toHexString()))
        this.hints.publish(change.stored, 'sim', [change.sim]);
    return writtenIds;
  }
}

export const isOpening = ({ before, after }: HealthChange): boolean =>
  after.breaker !== undefined && after.breaker.openedAt !== before.breaker?.openedAt;

/** Whether the SIM may send more or less than before: its breaker has opened or closed, or a canary has a result. */
const affectsWaiting = ({ before, after }: HealthChange): boolean =>
  after.breaker?.canaryDueAt !== before.breaker?.canaryDueAt;

interface PlannedChange extends HealthChange {
  readonly stored: StoredHealth;
  readonly isMerge: boolean;
}

function changeWrite(
  change: PlannedChange,
  version: Types.ObjectId,
  now: Date,
): AnyBulkWriteOperation<SimRecord> {
  const { stored, after, isMerge } = change;
  const { _id, healthVersion } = stored;
  const dueAt = healthDueAt(after);
  const event = !isMerge && isOpening(change) && unhealthyEvent(stored, after, now);
  return {
    updateOne: {
      filter: { _id, healthVersion: healthVersion ?? { $exists: false } },
      update: {
        $set: {
          health: after,
          healthVersion: version,
          ...(dueAt && { healthDueAt: dueAt }),
          ...(affectsWaiting(change) && reviewFields(now)),
          ...(event && { relayDueAt: event.at }),
        },
        ...(!dueAt && { $unset: { healthDueAt: 1 } }),
        ...(event && { $push: { outbox: event } }),
      },
    },
  };
}

function unhealthyEvent(sim: StoredHealth, { breaker, failures }: SimHealth, now: Date) {
  if (!breaker) return undefined;
  const { kind, openedAt } = breaker;
  const state = breakerState(breaker, now);
  const details = { state, kind, since: openedAt.toISOString(), failureRate: failures.mean };
  return simEvent('SIM_UNHEALTHY', sim, details, now);
}
