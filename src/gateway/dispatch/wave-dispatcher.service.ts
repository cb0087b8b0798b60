import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { accountScope } from '../../auth/account-scope';
import { Clock, latestNow } from '../../common/clock';
import { idsOf } from '../../common/documents';
import { MINUTE_MS } from '../../common/durations';
import { type Batch, isPausedOrRescheduled } from '../../messages/batch.schema';
import { BatchesRepository } from '../../messages/batches.repository';
import type { OutgoingMessage } from '../../messages/message.schema';
import { MessageRouter } from '../routing/message-router.service';
import { PausedMessagesRepository } from '../routing/paused-messages.repository';
import { type QueuedWave, toWaveKey } from '../waves/dispatch.queue';
import type { WaveKey } from '../waves/wave-key';
import { isPlanned } from '../waves/wave-plan';
import { WavesRepository } from '../waves/waves.repository';
import { DispatchPermission } from './dispatch-permission.service';
import { GroupPlanner } from './group-planner.service';
import { PhoneDispatcher } from './phone-dispatcher.service';

/** When a message is checked again that became due while its batch is paused or being rescheduled. */
const PAUSED_RECHECK_MS = MINUTE_MS;

/** Messages without a batch are removed after this time. */
const ORPHAN_AGE_MS = MINUTE_MS;

/**
 * Dispatches waves. The due messages that may leave are routed to phones, admitted by their SIMs, claimed, and pushed or offered to
 * their phones, in this order. Those for phones that fetch wait, without an admission, until the phone fetches. Every step is
 * idempotent, and several workers may dispatch the same wave.
 */
@Injectable()
export class WaveDispatcher {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly waves: WavesRepository,
    private readonly paused: PausedMessagesRepository,
    private readonly planner: GroupPlanner,
    private readonly router: MessageRouter,
    private readonly phoneDispatcher: PhoneDispatcher,
    private readonly permission: DispatchPermission,
    private readonly clock: Clock,
  ) {}

  /** Dispatches the wave of a job. */
  async dispatchQueued(queued: QueuedWave): Promise<void> {
    const { user } = queued;
    const owner =
      user === undefined
        ? await this.batches.findOwner(new Types.ObjectId(queued.batch))
        : new Types.ObjectId(user);
    // Otherwise there is no such batch: what is left of it is found when it is overdue.
    if (owner) await this.dispatchWave(toWaveKey(queued, owner));
  }

  /** Enqueues the next wave of the group, and dispatches the due messages of this one, if its batch is accepted. */
  async dispatchWave(key: WaveKey): Promise<void> {
    const [batch, due] = await Promise.all([
      this.batches.findForDispatch(accountScope(key.user), key.batch),
      this.listDue(key),
    ]);
    if (!batch) await this.removeOrphans(key, due);
    if (batch?.acceptance !== 'accepted') return;
    if (isPausedOrRescheduled(batch)) return this.pause(batch, due);
    // Only with due messages: a group that was cancelled must not reserve time.
    if (due.length > 0 && !isPlanned(batch, key.wave)) return this.planner.plan(batch, key.wave);
    // First, so that the next wave is not late if this one fails or is pushed slowly.
    await this.planner.enqueueNext(batch, key);
    if (due.length > 0) await this.dispatchDue(batch, key, due);
  }

  /**
   * The due messages of a wave. If none is due yet by the clock of this host, because that of the host that enqueued the wave is ahead,
   * waits until all of them are.
   */
  private async listDue(key: WaveKey): Promise<readonly OutgoingMessage[]> {
    const now = this.clock.now();
    const dueSomewhere = await this.waves.listDue(key, latestNow(now));
    const due = dueSomewhere.filter(isDueAt(now));
    if (due.length > 0 || dueSomewhere.length === 0) return due;
    const dueTimes = dueSomewhere.map(({ nextDispatchAt = now }) => nextDispatchAt.getTime());
    await sleep(Math.max(...dueTimes) - now.getTime() + 1);
    return this.waves.listDue(key, this.clock.now());
  }

  /** Routes the due messages that may leave, and dispatches them on their phones. */
  async dispatchDue(batch: Batch, key: WaveKey, due: readonly OutgoingMessage[]): Promise<void> {
    await this.phoneDispatcher.endExpiredClaims(due);
    const current = due.filter(mayLeaveAt(this.clock.now()));
    if (current.length === 0) return;
    // Before they are routed, so that no room of a SIM is taken for those that may not leave.
    const permitted = await this.permission.permitted(batch, current);
    if (permitted.length === 0) return;
    const routed = await this.router.route(batch, key, permitted);
    await Promise.all(routed.map((each) => this.phoneDispatcher.dispatch(each, batch, key)));
  }

  /** Holds the due messages of a paused batch, such as those whose push was unavailable. */
  private async pause(batch: Batch, due: readonly OutgoingMessage[]): Promise<void> {
    const now = this.clock.now();
    await this.phoneDispatcher.endExpiredClaims(due);
    const waiting = due.filter(mayLeaveAt(now));
    const recheckAt = new Date(now.getTime() + PAUSED_RECHECK_MS);
    if (waiting.length > 0) await this.paused.pause({ batch, ids: idsOf(waiting) }, recheckAt, now);
  }

  /** A process that stalled during acceptance may have stored messages after its send was rolled back. */
  private async removeOrphans(key: WaveKey, due: readonly OutgoingMessage[]): Promise<void> {
    if (due.length === 0) return;
    const ageMs = this.clock.now().getTime() - Math.max(...due.map(({ createdAt }) => createdAt.getTime()));
    if (ageMs > ORPHAN_AGE_MS) await this.waves.removeOfBatch(key);
  }
}

const isDueAt =
  (now: Date) =>
  ({ nextDispatchAt }: OutgoingMessage) =>
    nextDispatchAt !== undefined && nextDispatchAt <= now;

/** Expired messages, which `ExpiryService` fails, must not take the room of a SIM from messages that can leave. */
const mayLeaveAt =
  (now: Date) =>
  ({ pushStartedAt, validUntil }: OutgoingMessage) =>
    !pushStartedAt && (!validUntil || validUntil > now);
