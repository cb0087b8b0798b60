import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../../auth/account-scope';
import { Clock } from '../../common/clock';
import { DAY_MS } from '../../common/durations';
import { AppError, FieldErrors } from '../../common/errors';
import type { Batch } from '../../messages/batch.schema';
import { BatchesRepository } from '../../messages/batches.repository';
import { BatchNotOnAccount } from '../../messages/lists/message-list.errors';
import { BatchChanging } from '../../messages/messages.errors';
import { readSchedule } from '../send-input/send-validation';
import { BatchChangesRepository, type ChangingBatch, type RequestedChange } from './batch-changes.repository';
import { BatchRescheduler } from './batch-rescheduler.service';
import { BatchTimeline } from './batch-timeline.service';
import { PausedMessagesRepository } from '../routing/paused-messages.repository';

/** A change that its process has not finished after this time is taken over. */
const CHANGE_TIMEOUT_MS = 30_000;

/** A process pauses messages only within this time, so that its write ends before another one takes over. */
const MAX_PAUSE_DELAY_MS = 5_000;

/** How long a request waits for a change in progress. */
const MAX_WAIT_MS = 5_000;
const POLL_INTERVAL_MS = 50;

/** Paused messages are looked at once a day, so that none is forgotten whatever happens. */
const RECHECK_MS = DAY_MS;

/**
 * Pauses, resumes and reschedules batches. A batch has one change at a time, which is stored with it first; then its messages
 * are written. Every step may be repeated, and `BatchRecoveryScheduler` completes the changes of dead processes.
 */
@Injectable()
export class BatchChanges {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly changes: BatchChangesRepository,
    private readonly messages: PausedMessagesRepository,
    private readonly timeline: BatchTimeline,
    private readonly rescheduler: BatchRescheduler,
    private readonly clock: Clock,
  ) {}

  /** Holds the messages of a batch that are not claimed. Idempotent. @throws BatchNotOnAccount, BatchChanging */
  async pause(account: AccountScope, id: Types.ObjectId): Promise<void> {
    await this.change(account, id, 'pause');
  }

  /** Gives the waiting messages of a paused batch new times. Idempotent. @throws BatchNotOnAccount, BatchChanging */
  async resume(account: AccountScope, id: Types.ObjectId): Promise<void> {
    await this.change(account, id, 'resume');
  }

  /**
   * Gives a batch of which nothing has left another time.
   * @param time as in sends.
   * @throws ValidationFailed, BatchNotOnAccount, BatchHasSeveralTimes, BatchStarted, PlanLimitReached, BatchChanging
   */
  async reschedule(account: AccountScope, id: Types.ObjectId, time: string): Promise<void> {
    const scheduledAt = this.readTime(time);
    const stored = await this.batches.findVisible(account, id);
    if (!stored) throw new BatchNotOnAccount();
    await this.rescheduler.check(stored, scheduledAt);
    await this.change(account, id, 'reschedule', scheduledAt);
  }

  /** Waits until a batch has no change in progress. @throws BatchNotOnAccount, BatchChanging */
  async waitForChange(account: AccountScope, id: Types.ObjectId): Promise<Batch> {
    return this.poll(account, id, ({ change }) => !change);
  }

  /** Lists batches of any account whose change was interrupted. */
  listInterrupted(limit: number): Promise<ChangingBatch[]> {
    return this.changes.listInterrupted(new Date(this.clock.now().getTime() - CHANGE_TIMEOUT_MS), limit);
  }

  /** Completes the change of a process that died. A rescheduling that is no longer possible is undone. */
  async complete(batch: ChangingBatch): Promise<void> {
    const taken = await this.changes.takeOver(batch, this.clock.now());
    if (!taken) return;
    await this.run(taken).catch((failure: unknown) => {
      if (!(failure instanceof AppError)) throw failure;
    });
  }

  /** Makes a change, unless the batch is as requested already. */
  private async change(
    account: AccountScope,
    id: Types.ObjectId,
    kind: RequestedChange['kind'],
    scheduledAt?: Date,
  ): Promise<void> {
    const started: { batch?: ChangingBatch | null } = {};
    await this.poll(account, id, async (batch) => {
      if (batch.change) return false;
      if (kind !== 'reschedule' && Boolean(batch.pausedAt) === (kind === 'pause')) return true;
      const since = this.clock.now();
      const change = { id: new Types.ObjectId(), kind, since, ...(scheduledAt && { scheduledAt }) };
      started.batch = await this.changes.start(account, id, change);
      return started.batch !== null;
    });
    if (started.batch) await this.run(started.batch);
  }

  private async poll(
    account: AccountScope,
    id: Types.ObjectId,
    isDone: (batch: Batch) => boolean | Promise<boolean>,
  ): Promise<Batch> {
    const deadline = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const batch = await this.batches.findVisible(account, id);
      if (!batch) throw new BatchNotOnAccount();
      if (await isDone(batch)) return batch;
      if (performance.now() > deadline) throw new BatchChanging();
      if (isChanging(batch) && this.ageOf(batch) > CHANGE_TIMEOUT_MS) await this.complete(batch);
      else await sleep(POLL_INTERVAL_MS);
    }
  }

  private async run(batch: ChangingBatch): Promise<void> {
    switch (batch.change.kind) {
      case 'pause':
        await this.pauseMessages(batch);
        await this.timeline.free(batch);
        return this.changes.finish(batch);
      case 'resume': {
        const estimatedCompletionAt = await this.timeline.replan(batch);
        return this.changes.finish(batch, estimatedCompletionAt && { estimatedCompletionAt });
      }
      case 'restore':
        await this.messages.resumeRest(batch, this.clock.now());
        return this.changes.finish(batch);
      case 'reschedule': {
        await this.pauseMessages(batch);
        const committed = await this.commit(batch);
        if (committed) return this.run(committed);
      }
    }
  }

  private async commit(batch: ChangingBatch): Promise<ChangingBatch | null> {
    try {
      return await this.rescheduler.commit(batch);
    } catch (failure) {
      if (failure instanceof AppError) {
        const next = batch.pausedAt ? 'pause' : 'restore';
        const restored = await this.changes.proceed(batch, next, this.clock.now());
        if (restored) await this.run(restored);
      }
      throw failure;
    }
  }

  private async pauseMessages(batch: ChangingBatch): Promise<void> {
    if (this.ageOf(batch) > MAX_PAUSE_DELAY_MS) throw new BatchChanging();
    const now = this.clock.now();
    await this.messages.pause({ batch }, new Date(now.getTime() + RECHECK_MS), now);
  }

  /** How long a process has had this step of the change, in ms. */
  private ageOf({ change }: ChangingBatch): number {
    return this.clock.now().getTime() - change.since.getTime();
  }

  /** @throws ValidationFailed */
  private readTime(text: string): Date {
    const errors = new FieldErrors();
    const time = readSchedule(text, errors.add.bind(errors), this.clock.now());
    errors.throwIfAny();
    if (!time) throw errors.failure();
    return time;
  }
}

const isChanging = (batch: Batch): batch is ChangingBatch => batch.change !== undefined;
