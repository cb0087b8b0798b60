import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { Clock } from '../common/clock';
import { groupBy } from '../common/group-by';
import type { Device } from '../devices/device.schema';
import { DevicesRepository, type DeviceState } from '../devices/devices.repository';
import { DispatchRepository } from '../messages/dispatch.repository';
import type { UnconfirmedReason } from '../messages/message-event';
import { MessageMetrics } from '../messages/message.metrics';
import { OutboxQueue } from '../messages/outbox.queue';

/** How long a message that was handed over waits for a report. */
const SILENCE_MS = 24 * 3_600_000;

/** Messages moved, and devices looked at, together. */
const MAX_MESSAGES = 1_000;
const MAX_DEVICES = 20;

/** A push that was under way when its device was deleted has ended by then. */
const LAST_PUSH_MS = 2 * 60_000;
const CHECK_AGAIN_MS = 60_000;

/**
 * Ends messages that were handed over and never reported: they become `unknown`, with the event MESSAGE_UNCONFIRMED.
 * Safe to run in every process at once.
 */
@Injectable()
export class UnconfirmedService {
  constructor(
    private readonly messages: DispatchRepository,
    private readonly devices: DevicesRepository,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
    private readonly clock: Clock,
  ) {}

  /** After 24 hours without a report. A phone that is disabled by then, or deleted, is not handed the message any more. */
  async endSilent(): Promise<void> {
    const now = this.clock.now();
    const since = new Date(now.getTime() - SILENCE_MS);
    let moved: number;
    do {
      const silent = await this.messages.listSilent(since, MAX_MESSAGES);
      const states = await this.devices.findStates(silent.map(({ device }) => device));
      const byReason = groupBy(silent, ({ device }) => reasonFor(states.get(device.toHexString())));
      moved = 0;
      for (const [reason, messages] of byReason) {
        moved += await this.end(
          messages.map(({ _id }) => _id),
          reason,
          now,
        );
      }
    } while (moved === MAX_MESSAGES);
  }

  /**
   * What a device was handed and has not acknowledged when it is deleted. What it has acknowledged it may still send: that
   * has its 24 hours.
   */
  async endDeleted(): Promise<void> {
    const now = this.clock.now();
    for (const device of await this.devices.listWithdrawDue(now, MAX_DEVICES)) {
      await this.withdraw(device, now);
      const isOver = now.getTime() - (device.deletedAt?.getTime() ?? 0) > LAST_PUSH_MS;
      await this.devices.setWithdrawDue(
        device,
        isOver ? undefined : new Date(now.getTime() + CHECK_AGAIN_MS),
      );
    }
  }

  private async withdraw({ _id: device }: Device, now: Date): Promise<void> {
    let count: number;
    do {
      const ids = (await this.messages.listUnacknowledged(device, MAX_MESSAGES)).map(({ _id }) => _id);
      count = ids.length;
      await this.end(ids, 'DEVICE_DELETED', now);
    } while (count === MAX_MESSAGES);
  }

  private async end(ids: readonly Types.ObjectId[], reason: UnconfirmedReason, now: Date): Promise<number> {
    if (ids.length === 0) return 0;
    const moved = await this.messages.moveToUnconfirmed(ids, reason, now);
    this.metrics.count('unknown', moved);
    if (moved > 0) this.outbox.wake();
    if (reason !== 'NO_REPORT') await this.messages.endRedelivery(ids, now);
    return moved;
  }
}

function reasonFor(device: DeviceState | undefined): UnconfirmedReason {
  if (!device || device.deletedAt) return 'DEVICE_DELETED';
  return device.enabled ? 'NO_REPORT' : 'DEVICE_DISABLED';
}
