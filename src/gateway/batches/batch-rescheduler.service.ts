import { Injectable } from '@nestjs/common';
import { accountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { BillingService, type Move } from '../../billing/billing.service';
import { sumOf } from '../../billing/usage/day-charge';
import { periodOf } from '../../billing/usage/usage-period';
import { Clock } from '../../common/clock';
import { ValidationFailed } from '../../common/errors';
import type { Batch, DispatchGroup } from '../../messages/batch.schema';
import { remainingCharges } from '../sends/acceptance/batch-charges';
import { BatchChangesRepository, type ChangingBatch } from './batch-changes.repository';
import { BatchTimeline } from './batch-timeline.service';
import { BatchHasSeveralTimes, BatchStarted } from './batches.errors';
import { gapOf, PausedMessagesRepository } from '../routing/paused-messages.repository';

/** Checks and commits reschedulings. */
@Injectable()
export class BatchRescheduler {
  constructor(
    private readonly accounts: AccountsRepository,
    private readonly billing: BillingService,
    private readonly changes: BatchChangesRepository,
    private readonly messages: PausedMessagesRepository,
    private readonly timeline: BatchTimeline,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks whether a batch can be rescheduled, without changing anything.
   * @throws ValidationFailed, BatchHasSeveralTimes, BatchStarted, PlanLimitReached
   */
  async check(batch: Batch, scheduledAt: Date): Promise<void> {
    const { validUntil } = batch;
    if (validUntil && scheduledAt >= validUntil)
      throw ValidationFailed.of(
        'scheduledAt',
        `must be before the validUntil of the batch, ${validUntil.toISOString()}`,
      );
    if (new Set(batch.groups.map((group) => group.scheduledAt?.getTime())).size > 1)
      throw new BatchHasSeveralTimes();
    await this.assertNothingLeft(batch);
    const move = this.moveOf(batch, scheduledAt);
    if (move) await this.billing.assertCanMove(accountScope(batch.user), await this.planOf(batch), move);
  }

  /**
   * Commits the rescheduling of a batch whose messages wait as paused. Every step may be repeated; the last one commits.
   * @returns the batch with its next step, in which its messages are resumed unless it is paused; null if another process
   * has it by now.
   * @throws BatchStarted, PlanLimitReached, before anything is stored
   */
  async commit(batch: ChangingBatch): Promise<ChangingBatch | null> {
    const { id, scheduledAt = this.clock.now() } = batch.change;
    await this.assertNothingLeft(batch);
    const move = this.moveOf(batch, scheduledAt);
    const account = accountScope(batch.user);
    if (move) await this.billing.move(account, await this.planOf(batch), id, move);
    await this.timeline.free(batch);
    await this.messages.setDueTime(batch, scheduledAt, this.clock.now());
    const durationMs = Math.max(
      ...batch.groups.map((group) => (group.waves > 1 ? (group.durationMs ?? 0) : 0)),
    );
    return this.changes.proceed(batch, batch.pausedAt ? 'pause' : 'resume', this.clock.now(), {
      groups: batch.groups.map((group) => rescheduled(group, scheduledAt)),
      chargedDays: { [periodOf(scheduledAt).day]: sumOf(remainingCharges(batch)) },
      ...(durationMs > 0 && { estimatedCompletionAt: new Date(scheduledAt.getTime() + durationMs) }),
    });
  }

  private async assertNothingLeft(batch: Batch): Promise<void> {
    const isEmpty = sumOf(remainingCharges(batch)) === 0;
    if (isEmpty || (await this.messages.hasLeft(batch))) throw new BatchStarted();
  }

  /** @returns undefined if the charges stay on their day. */
  private moveOf(batch: Batch, scheduledAt: Date): Move | undefined {
    const from = remainingCharges(batch);
    const { day } = periodOf(scheduledAt);
    if (from.every((charge) => charge.day === day)) return undefined;
    return { from, to: { day, count: sumOf(from) }, at: this.clock.now() };
  }

  private async planOf({ user }: Batch): Promise<string | undefined> {
    return (await this.accounts.findSendingAccount(accountScope(user)))?.plan;
  }
}

/** The group with its new time; one of several waves is planned again when it is due. */
function rescheduled(
  { planningSince: _since, startAt: _start, ...group }: DispatchGroup,
  scheduledAt: Date,
): DispatchGroup {
  const hasSeveralWaves = group.waves > 1;
  // Messages of a group that was due immediately store no offsets.
  return {
    ...group,
    scheduledAt,
    planned: !hasSeveralWaves,
    ...(hasSeveralWaves && { gapMs: gapOf(group) }),
  };
}
