import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { DAY_MS, MINUTE_MS } from '../../common/durations';
import { groupBy } from '../../common/group-by';
import type { Device } from '../../devices/device.schema';
import { DevicesRepository, type DeviceState } from '../../devices/devices.repository';
import type { UnconfirmedReason } from '../../messages/outbox/message-event';
import { MessageChanges } from '../../messages/message-changes.service';
import type { Message } from '../../messages/message.schema';
import { OutboxQueue } from '../../messages/outbox/outbox.queue';
import { idsOf } from '../../common/documents';
import { UnconfirmedMessagesRepository } from './unconfirmed-messages.repository';

const REPORT_TIMEOUT_MS = DAY_MS;

const MESSAGE_BATCH_SIZE = 1_000;
const DEVICE_BATCH_SIZE = 20;

/** Pushes in progress when their device was deleted have ended after this time. */
const PUSH_GRACE_MS = 2 * MINUTE_MS;
const RECHECK_INTERVAL_MS = MINUTE_MS;

/**
 * Moves dispatched messages without a report to `unknown`, with the event MESSAGE_UNCONFIRMED. Safe to run in several
 * processes.
 */
@Injectable()
export class UnconfirmedMessagesService {
  constructor(
    private readonly messages: UnconfirmedMessagesRepository,
    private readonly devices: DevicesRepository,
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
   * Marks the unacknowledged messages of deleted devices. A phone may still send acknowledged ones, which wait for
   * their report as usual.
   */
  async markUnconfirmedOfDeletedDevices(): Promise<void> {
    const now = this.clock.now();
    for (const device of await this.devices.listUnfinishedDue(now, DEVICE_BATCH_SIZE)) {
      await this.markUnacknowledged(device, now);
      const isComplete = now.getTime() - (device.deletedAt?.getTime() ?? 0) > PUSH_GRACE_MS;
      const recheckAt = isComplete ? undefined : new Date(now.getTime() + RECHECK_INTERVAL_MS);
      await this.devices.setUnfinishedDue(device, recheckAt);
    }
  }

  private async markUnacknowledged({ _id: device, user }: Device, now: Date): Promise<void> {
    let count: number;
    do {
      const found = await this.messages.listUnacknowledged(device, MESSAGE_BATCH_SIZE);
      count = found.length;
      const messages = found.map(({ _id }) => ({ _id, user }));
      await this.mark(messages, 'DEVICE_DELETED', now);
    } while (count === MESSAGE_BATCH_SIZE);
  }

  private async mark(
    messages: readonly Pick<Message, '_id' | 'user'>[],
    reason: UnconfirmedReason,
    now: Date,
  ): Promise<number> {
    if (messages.length === 0) return 0;
    const ids = idsOf(messages);
    const moved = await this.messages.moveToUnknown(ids, reason, now);
    this.changes.recordAll('unknown', moved, messages);
    if (moved > 0) this.outbox.notify();
    if (reason !== 'NO_REPORT') await this.messages.endRedelivery(ids, now);
    return moved;
  }
}

function reasonFor(device: DeviceState | undefined): UnconfirmedReason {
  if (!device || device.deletedAt) return 'DEVICE_DELETED';
  return device.enabled ? 'NO_REPORT' : 'DEVICE_DISABLED';
}
