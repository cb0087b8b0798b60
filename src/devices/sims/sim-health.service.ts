import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Counter, Registry } from 'prom-client';
import { Clock } from '../../common/clock';
import { groupBy } from '../../common/group-by';
import { METRIC_PREFIX } from '../../infrastructure/metrics/metrics.module';
import { hashRecipient } from './limits/hash-recipient';
import { BLOCK_KINDS } from '../states/breaker-state';
import { breakerState, type Canary, leaseCanary, releaseCanary } from './health/breaker';
import { NEW_SIM_HEALTH, type Outcome, recordOutcomes, type SimHealth } from './health/sim-health';
import { isOpening, SimHealthRepository } from './sim-health.repository';

const RECIPIENT_KEY_LENGTH = 11;

/** What became of a message, with the SIM that sent it. */
export interface SimOutcome extends Omit<Outcome, 'recipient'> {
  readonly sim: Types.ObjectId;
  /** Of its recipient. */
  readonly peerNumber: string;
}

/** The health of SIMs of all accounts. Any number of processes may record outcomes and claim canaries at the same time. */
@Injectable()
export class SimHealthService {
  private readonly openings: Counter<'kind'>;

  constructor(
    private readonly healths: SimHealthRepository,
    registry: Registry,
    private readonly clock: Clock,
  ) {
    this.openings = new Counter({
      name: `${METRIC_PREFIX}sim_breaker_openings_total`,
      help: 'SIMs found unhealthy: their messages fail, or are no longer delivered (silence)',
      labelNames: ['kind'],
      registers: [registry],
    });
    // From the start, because the increase from a missing value is not seen.
    for (const kind of BLOCK_KINDS) this.openings.inc({ kind }, 0);
  }

  /** Records outcomes, in any order, with one write for each SIM. */
  async record(outcomes: readonly SimOutcome[]): Promise<void> {
    const bySim = groupBy(outcomes, ({ sim }) => sim.toHexString());
    const sims = [...bySim.values()].flatMap(([first]) => first?.sim ?? []);
    const outcomesOf = (sim: Types.ObjectId) => (bySim.get(sim.toHexString()) ?? []).map(toOutcome);
    await this.change(sims, (health, sim, now) => recordOutcomes(health, outcomesOf(sim), now));
  }

  /**
   * Lets a message be the canary of a half-open SIM. Call it before the message is claimed for dispatch, and release the canary
   * if the message does not leave; otherwise it fails after ten minutes.
   * @param peerNumber of its recipient.
   * @returns the canary, or `closed` if the SIM needs none; undefined if the SIM may not take the message: another one is the
   * canary, or the breaker is open.
   */
  async leaseCanary(sim: Types.ObjectId, peerNumber: string): Promise<Canary | 'closed' | undefined> {
    let result: Canary | 'closed' | undefined;
    await this.change([sim], (health, _, now) => {
      const { breaker } = health;
      const claimed = breaker && leaseCanary(breaker, recipientKey(peerNumber), now);
      result = breakerState(breaker, now) === 'closed' ? 'closed' : claimed?.canary;
      return claimed ? { ...health, breaker: claimed } : health;
    });
    return result;
  }

  /** Gives back a canary whose message did not leave. Does nothing if it has a result, or has timed out. */
  async releaseCanary(sim: Types.ObjectId, canary: Canary): Promise<void> {
    await this.change([sim], (health) => {
      const { breaker } = health;
      const released = breaker && releaseCanary(breaker, canary);
      return released === breaker ? health : { ...health, breaker: released };
    });
  }

  /** Counts deliveries and canaries that have timed out. */
  async expireDue(limit: number): Promise<void> {
    const due = await this.healths.listDue(this.clock.now(), limit);
    await this.change(due, (health, _, now) => recordOutcomes(health, [], now));
  }

  /** Continues the health of a record that turned out to be the same card; of two, the one whose breaker is not closed. */
  async merge(into: Types.ObjectId, from: Types.ObjectId): Promise<void> {
    const now = this.clock.now();
    const other = await this.healths.find(from);
    const isWorse = breakerState(other?.breaker, now) !== 'closed';
    const merge = (health: SimHealth) =>
      other && (health === NEW_SIM_HEALTH || (isWorse && breakerState(health.breaker, now) === 'closed'))
        ? other
        : health;
    await this.healths.change([into], merge, now, true);
  }

  private async change(
    sims: readonly Types.ObjectId[],
    apply: (health: SimHealth, sim: Types.ObjectId, now: Date) => SimHealth,
  ): Promise<void> {
    if (sims.length === 0) return;
    const now = this.clock.now();
    const changes = await this.healths.change(sims, (health, sim) => apply(health, sim, now), now);
    for (const { after } of changes.filter(isOpening))
      if (after.breaker) this.openings.inc({ kind: after.breaker.kind });
  }
}

const toOutcome = ({ kind, at, peerNumber, code }: SimOutcome): Outcome => ({
  kind,
  at,
  recipient: recipientKey(peerNumber),
  ...(code !== undefined && { code }),
});

const recipientKey = (peerNumber: string) => hashRecipient(peerNumber, RECIPIENT_KEY_LENGTH);
