import { Injectable } from '@nestjs/common';
import { type AccountScope, accountScope } from '../../auth/account-scope';
import { AccountsRepository } from '../../auth/accounts/accounts.repository';
import { Clock } from '../../common/clock';
import { DAY_MS, MINUTE_MS } from '../../common/durations';
import { groupBy } from '../../common/group-by';
import type { Device } from '../../devices/store/device.schema';
import { DevicesRepository, type DeviceState } from '../../devices/store/devices.repository';
import type { UnconfirmedReason } from '../../messages/message-event';
import { MessageChanges } from '../../messages/changes/message-changes.service';
import type { Message } from '../../messages/message.schema';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { MessageMoves, type MoveProgress } from '../../gateway/routing/message-moves.service';
import { WaitingMessagesRepository } from '../../gateway/routing/waiting-messages.repository';
import { UnconfirmedMessagesRepository } from './unconfirmed-messages.repository';

const REPORT_TIMEOUT_MS = DAY_MS;

const MESSAGE_BATCH_SIZE = 1_000;
const DEVICE_BATCH_SIZE = 20;

/** Waiting messages of a replaced device that are moved in one run. */
const MESSAGES_PER_DEVICE = 20_000;

/** Pushes in progress when their device was deleted have ended after this time. */
const PUSH_GRACE_MS = 2 * MINUTE_MS;
const RECHECK_INTERVAL_MS = MINUTE_MS;

/** What became of the messages of a deleted phone in one call. */
export interface FinishedMessages extends MoveProgress {
  /** Those that it may have sent: they are `unknown` now. */
  readonly unconfirmedCount: number;
}

/**
 * Moves dispatched messages without a report to `unknown`, with the event MESSAGE_UNCONFIRMED. Safe to run in several
 * processes.
 */
@Injectable()
export class UnconfirmedMessagesService {
  constructor(
    private readonly messages: UnconfirmedMessagesRepository,
    private readonly waiting: WaitingMessagesRepository,
    private readonly moves: MessageMoves,
    private readonly devices: DevicesRepository,
    private readonly accounts: AccountsRepository,
    private readonly outbox: OutboxQueue,
    private readonly changes: MessageChanges,
    private readonly clock: Clock,
  ) {}

  /** Marks messages after 24 hours without a report, and ends their redelivery if the device is disabled or deleted. */
  async markUnconfirmed(): Promise<void> {
    const now = this.clock.now();
    const since = new Date(now.getTime() - REPORT_TIMEOUT_MS);
    let marked: number;
    do {
      const unreported = await this.messages.listUnreported(since, MESSAGE_BATCH_SIZE);
      const states = await this.devices.findStates(unreported.map(({ device }) => device));
      const byReason = groupBy(unreported, ({ device }) => reasonFor(states.get(device.toHexString())));
      marked = 0;
      for (const [reason, messages] of byReason) {
        marked += await this.mark(messages, reason, now);
      }
    } while (marked === MESSAGE_BATCH_SIZE);
  }

  /**
   * Marks the unacknowledged messages of deleted devices, and fails or moves the messages that wait for them. A phone may still send
   * acknowledged ones, which wait for their report as usual, unless it was replaced.
   */
  async markUnconfirmedOfDeletedDevices(): Promise<void> {
    const now = this.clock.now();
    for (const device of await this.devices.listUnfinishedDue(now, DEVICE_BATCH_SIZE)) {
      const { isComplete } = await this.finish(device, MESSAGES_PER_DEVICE);
      const isGraceOver = now.getTime() - (device.deletedAt?.getTime() ?? 0) > PUSH_GRACE_MS;
      const recheckAt = new Date(now.getTime() + (isComplete ? RECHECK_INTERVAL_MS : 0));
      await this.devices.setUnfinishedDue(device, isComplete && isGraceOver ? undefined : recheckAt);
    }
  }

  /**
   * Ends what a deleted phone has to do. If it was replaced, what it may have and has not reported becomes `unknown` and is never
   * handed out again, and what waits for it moves. Can be repeated from any step.
   * @param limit messages that are moved in this call.
   */
  async finish(device: Device, limit: number): Promise<FinishedMessages> {
    const now = this.clock.now();
    const account = accountScope(device.user);
    const isReplaced = device.replacedBy !== undefined;
    const unconfirmedCount = await this.markAll(
      account,
      isReplaced ? 'DEVICE_REPLACED' : 'DEVICE_DELETED',
      () => this.messages.listUnacknowledged(account, device._id, MESSAGE_BATCH_SIZE),
    );
    if (isReplaced) {
      const acknowledgedCount = await this.markAll(account, 'DEVICE_REPLACED', () =>
        this.messages.listUnreportedBy(account, device._id, MESSAGE_BATCH_SIZE),
      );
      const replacement = await this.moves.replacementOf(account, device._id);
      if (replacement) {
        await this.accounts.replaceDefaultDevice(account, device._id, replacement._id, now);
        const moved = await this.moves.moveWaiting(account, device._id, replacement, { limit });
        return { ...moved, unconfirmedCount: unconfirmedCount + acknowledgedCount };
      }
    }
    // Dispatched when they are overdue.
    await this.waiting.makeDueForPhones([device], now, MESSAGE_BATCH_SIZE);
    return { unconfirmedCount, movedCount: 0, isComplete: true };
  }

  /** Marks what is listed, until nothing is. @returns how many. */
  private async markAll(
    { user }: AccountScope,
    reason: UnconfirmedReason,
    list: () => Promise<readonly Pick<Message, '_id'>[]>,
  ): Promise<number> {
    let total = 0;
    for (;;) {
      const messages = (await list()).map(({ _id }) => ({ _id, user }));
      total += await this.mark(messages, reason, this.clock.now());
      if (messages.length < MESSAGE_BATCH_SIZE) return total;
    }
  }

  private async mark(
    messages: readonly Pick<Message, '_id' | 'user'>[],
    reason: UnconfirmedReason,
    now: Date,
  ): Promise<number> {
    if (messages.length === 0) return 0;
    const moved = await this.messages.moveToUnknown(messages, reason, now);
    this.changes.recordAll('unknown', moved, messages);
    if (moved > 0) this.outbox.notify();
    if (reason !== 'NO_REPORT') await this.messages.endRedelivery(messages, now);
    return moved;
  }
}

function reasonFor(device: DeviceState | undefined): UnconfirmedReason {
  if (device?.replacedBy) return 'DEVICE_REPLACED';
  if (!device || device.deletedAt) return 'DEVICE_DELETED';
  return device.enabled ? 'NO_REPORT' : 'DEVICE_DISABLED';
}
