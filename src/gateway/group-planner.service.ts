import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { DispatchConfig } from '../config/dispatch.config';
import { DevicesRepository } from '../devices/devices.repository';
import { Batch } from '../messages/batch.schema';
import { BatchesRepository } from '../messages/batches.repository';
import { DispatchRepository } from '../messages/dispatch.repository';
import { DispatchQueue } from './dispatch.queue';
import { planWaves, waveDueAt } from './wave-plan';

/** Gives a large scheduled group its place on the phone's timeline once it is due. */
@Injectable()
export class GroupPlanner {
  constructor(
    private readonly config: DispatchConfig,
    private readonly devices: DevicesRepository,
    private readonly batches: BatchesRepository,
    private readonly messages: DispatchRepository,
    private readonly queue: DispatchQueue,
    private readonly clock: Clock,
  ) {}

  /**
   * Plans the group of this wave, unless that is done. Safe to run twice: the place is taken by whoever comes
   * first, and the times follow from it.
   * @returns whether it was planned now; its waves have then been woken at their times.
   */
  async planIfNeeded(batch: Batch, wave: number): Promise<boolean> {
    const index = batch.groups.findIndex(
      ({ firstWave, waves }) => wave >= firstWave && wave < firstWave + waves,
    );
    const group = batch.groups[index];
    if (!group || group.planned) return false;
    const now = this.clock.now();
    if (group.scheduledAt && group.scheduledAt > now) return true;
    const placed = group.startAt ? batch : await this.place(batch, index, now);
    const { startAt, gapMs } = placed?.groups[index] ?? {};
    if (!startAt || gapMs === undefined)
      throw new Error(`Batch ${batch._id.toHexString()} vanished while it was planned`);
    const waves = Array.from({ length: group.waves }, (_, number) => ({
      batch: batch._id,
      wave: group.firstWave + number,
      dueAt: waveDueAt(startAt, gapMs, number),
    }));
    await this.messages.scheduleWaves(batch._id, waves);
    await this.batches.markPlanned(batch._id, index);
    await this.queue.wake(waves);
    return true;
  }

  private async place(batch: Batch, index: number, now: Date): Promise<Batch | null> {
    const count = batch.groups[index]?.count ?? 0;
    const device = await this.devices.find(batch, batch.device);
    const { gapMs, durationMs } = planWaves(count, this.config.waveSize, device?.smsSendDelaySeconds ?? 0);
    const startAt = (await this.devices.takeTimeline(batch, batch.device, durationMs, now)) ?? now;
    return this.batches.placeGroup(batch._id, index, { startAt, gapMs, durationMs });
  }
}
