import { Injectable } from '@nestjs/common';
import { Types } from 'mongoose';
import { AccountScope } from '../auth/account-scope';
import { BillingService } from '../billing/billing.service';
import { Clock } from '../common/clock';
import { DevicesRepository } from '../devices/devices.repository';
import { DeviceNotFound } from '../devices/devices.errors';
import { Batch } from '../messages/batch.schema';
import { BatchesRepository } from '../messages/batches.repository';
import { DispatchRepository } from '../messages/dispatch.repository';
import { MessageMetrics } from '../messages/message.metrics';
import { BatchNotFound } from '../messages/messages.errors';
import { OutboxQueue } from '../messages/outbox.queue';
import { waveDueAt } from './wave-plan';

/** Cancels what of a batch has not been handed over. */
@Injectable()
export class CancellationService {
  constructor(
    private readonly devices: DevicesRepository,
    private readonly batches: BatchesRepository,
    private readonly messages: DispatchRepository,
    private readonly billing: BillingService,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Cancels a batch: its messages that nobody has claimed and that were never handed over fail with `CANCELLED`,
   * and exactly those are given back to the plan. Safe to repeat.
   * @returns how many messages of the batch are cancelled.
   * @throws DeviceNotFound, BatchNotFound
   */
  async cancel(account: AccountScope, deviceId: Types.ObjectId, id: Types.ObjectId): Promise<number> {
    if (!(await this.devices.find(account, deviceId))) throw new DeviceNotFound();
    const batch = await this.batches.startCancel(account, deviceId, id, this.clock.now());
    if (!batch) throw new BatchNotFound();
    return this.complete(batch);
  }

  /** Does what cancelling takes; each step can be repeated, so that the sweeper finishes what died. */
  async complete(batch: Batch): Promise<number> {
    // Nothing can be cancelled that could not be the first time, and its messages may be removed since.
    if (batch.cancelledCount !== undefined) {
      await this.batches.finishCancel(batch, batch.cancelledCount);
      return batch.cancelledCount;
    }
    this.metrics.count('failed', await this.messages.cancel(batch._id, this.clock.now()));
    this.outbox.wake();
    const cancelled = await this.messages.countCancelled(batch._id);
    const count = [...cancelled.values()].reduce((sum, each) => sum + each, 0);
    if (count > 0) {
      await this.billing.giveBack(batch, { batch: batch._id, count, at: batch.createdAt });
      await this.returnTimeline(batch, Math.min(...cancelled.keys()));
    }
    await this.batches.finishCancel(batch, count);
    return count;
  }

  /** Gives back the phone's time from the first cancelled wave on, if nothing was put behind the batch. */
  private async returnTimeline(batch: Batch, firstCancelled: number): Promise<void> {
    for (const { startAt, gapMs, durationMs, firstWave, waves } of batch.groups) {
      const wave = Math.max(0, firstCancelled - firstWave);
      if (!startAt || gapMs === undefined || durationMs === undefined || wave >= waves) continue;
      const freeFrom = waveDueAt(startAt, gapMs, wave);
      const end = startAt.getTime() + durationMs;
      await this.devices.returnTimeline(batch, batch.device, freeFrom, end - freeFrom.getTime());
    }
  }
}
