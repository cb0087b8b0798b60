import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../clock';
import type { RemovalWork } from './removal-work';
import type { Removal } from './removal.schema';
import { RemovalsRepository } from './removals.repository';
import { Rounds } from './rounds.service';
import { formatError } from '../format-error';

const MS_A_DAY = 86_400_000;
const RUN_INTERVAL_MS = 3_600_000;
const ACCOUNTS_A_STEP = 20;

const BATCH_SIZE = 1_000;

/** Per account and round: what is left is removed in the next one. */
const MAX_BATCHES = 100;

/** Between chunks, for the database's other users. */
const PAUSE_MS = 100;

/** A chunk that takes longer than this has lost its process. */
const BATCH_TIMEOUT_MS = 60_000;

/**
 * Removes old records. Each chunk is written down first, its records are marked (nothing changes them any more), then
 * it is decided, once, what they add to the stored bases of counters; then that is written, and they go. Every step can
 * be repeated and can come late, so whoever finds a chunk that was left finishes it.
 */
@Injectable()
export class Removals {
  private readonly logger = new Logger(Removals.name);

  constructor(
    private readonly removals: RemovalsRepository,
    private readonly rounds: Rounds,
    private readonly clock: Clock,
  ) {}

  /** Removes what is old, once an hour, and finishes what dead processes have begun; may be called as often as one likes. */
  async run(work: RemovalWork): Promise<void> {
    // Also when nothing is removed any more: what was begun must end.
    await this.finishDead(work);
    if (work.days === 0) return;
    await this.rounds.run({
      name: `retention:${work.kind}`,
      everyMs: RUN_INTERVAL_MS,
      step: (after) => this.removeOldAfter(work, after),
    });
  }

  /**
   * Removes what is old of the next accounts; one that fails is left to the next round.
   * @returns the last of these accounts; undefined when they were the last of all.
   */
  async removeOldAfter(
    work: RemovalWork,
    after: Types.ObjectId | undefined,
  ): Promise<Types.ObjectId | undefined> {
    const users = await work.listAccounts(after, ACCOUNTS_A_STEP);
    for (const user of users) {
      try {
        await this.removeOldOf(work, user);
      } catch (failure) {
        this.logger.error(`Old ${work.kind} of account ${user.toHexString()} wait: ${formatError(failure)}`);
      }
    }
    return users.length === ACCOUNTS_A_STEP ? users.at(-1) : undefined;
  }

  /** Finishes what dead processes have begun. */
  async finishDead(work: RemovalWork): Promise<void> {
    for (;;) {
      const dead = await this.removals.takeOverDead(work.kind, this.chunkLimit(), this.clock.now());
      if (!dead) return;
      await this.complete(work, dead);
    }
  }

  private async removeOldOf(work: RemovalWork, user: Types.ObjectId): Promise<void> {
    const before = new Date(this.clock.now().getTime() - work.days * MS_A_DAY);
    let from = new Date(0);
    for (let chunks = 0; chunks < MAX_BATCHES; chunks++) {
      const old = await work.listOld(user, before, from, BATCH_SIZE);
      const last = old.at(-1);
      if (!last) return;
      const ids = old.map(({ _id }) => _id);
      const removal = await this.removals.begin(work.kind, user, ids, this.chunkLimit());
      if (!removal) return; // another process is at it
      await this.complete(work, removal);
      if (old.length < BATCH_SIZE) return;
      from = last.createdAt;
      await sleep(PAUSE_MS);
    }
  }

  private async complete(work: RemovalWork, removal: Removal): Promise<void> {
    const decided = removal.tally ? removal : await this.decide(work, removal);
    if (!decided) return; // it was done by another process
    await work.apply(decided);
    await this.removals.finish(decided);
  }

  private async decide(work: RemovalWork, removal: Removal): Promise<Removal | null> {
    const { ids, tally } = await work.tally(removal);
    return this.removals.decide(removal, ids, tally);
  }

  private chunkLimit(): Date {
    return new Date(this.clock.now().getTime() + BATCH_TIMEOUT_MS);
  }
}
