import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import { accountScope, type AccountScope } from '../../auth/account-scope';
import { Batcher } from '../../common/batcher';
import { Clock } from '../../common/clock';
import { DevicesRepository } from '../../devices/devices.repository';
import { requestContext } from '../../infrastructure/logging/log-ids';
import { MessageMetrics } from '../message.metrics';
import { MessageNotFound } from '../messages.errors';
import { OutboxQueue } from '../outbox/outbox.queue';
import { type AppliedReport, type DeviceReport, ReportsRepository } from './reports.repository';
import { parseReport, type StatusReport } from './status-report';

@Injectable()
export class ReportsService {
  private readonly batcher = new Batcher<DeviceReport, AppliedReport | undefined>((reports) =>
    this.applyBatch(reports),
  );

  constructor(
    private readonly reports: ReportsRepository,
    private readonly devices: DevicesRepository,
    private readonly outbox: OutboxQueue,
    private readonly metrics: MessageMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Applies a phone's report. Reports may arrive in any order and repeatedly.
   * @throws MessageNotFound if the device has no such message.
   */
  async apply(
    { user }: AccountScope,
    device: Types.ObjectId,
    id: Types.ObjectId,
    report: StatusReport,
  ): Promise<void> {
    const now = this.clock.now();
    const parsed = parseReport(report, now);
    const cause = requestContext();
    const applied = await this.batcher.submit({ user, device, id, report: parsed, now, cause });
    if (!applied) throw new MessageNotFound();
    this.outbox.notify();
    if (applied.hasChangedStatus) this.metrics.count(parsed.status);
  }

  private async applyBatch(reports: readonly DeviceReport[]): Promise<(AppliedReport | undefined)[]> {
    const applied = await this.reports.apply(reports);
    const counted = reports.filter((_, index) => applied[index]?.mustCount);
    await Promise.all(
      counted.map(({ user, device }) =>
        this.devices.incrementCounter(accountScope(user), device, 'sentSMSCount', 1),
      ),
    );
    return applied;
  }
}
