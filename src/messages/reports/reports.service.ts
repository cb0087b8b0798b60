import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { Coalescer } from '../../common/coalescer';
import { Clock } from '../../common/clock';
import { requestContext } from '../../infrastructure/logging/log-ids';
import { MessageChanges } from '../changes/message-changes.service';
import { MessageNotFound } from '../messages.errors';
import { OutboxQueue } from '../outbox/outbox.queue';
import type { AppliedReport } from './attempt-reports.repository';
import { SimOutcomeRecorder } from './sim-outcome-recorder.service';
import type { DeviceReport } from './report-update';
import { ReportsRepository } from './reports.repository';
import { parseReport, type StatusReport } from './status-report';

/** Applies the reports of phones on the messages they send. */
@Injectable()
export class ReportsService {
  private readonly coalescer = new Coalescer<DeviceReport, AppliedReport | undefined>((reports) =>
    this.reports.apply(reports),
  );

  constructor(
    private readonly reports: ReportsRepository,
    private readonly outbox: OutboxQueue,
    private readonly changes: MessageChanges,
    private readonly outcomes: SimOutcomeRecorder,
    private readonly clock: Clock,
  ) {}

  /**
   * Applies a phone's report. Reports may arrive in any order and repeatedly.
   * @returns whether it changed the status, and when the message moves to another SIM.
   * @throws MessageNotFound if the device has no such message.
   */
  async apply(
    { user }: AccountScope,
    device: Types.ObjectId,
    id: Types.ObjectId,
    report: StatusReport,
  ): Promise<AppliedReport> {
    const now = this.clock.now();
    const parsed = parseReport(report, now);
    const cause = requestContext();
    const applied = await this.coalescer.submit({ user, device, id, report: parsed, now, cause });
    if (!applied) throw new MessageNotFound();
    this.outbox.notify();
    const hasChanged = applied.hasChangedStatus || applied.move !== undefined;
    if (hasChanged || applied.isContradiction)
      this.changes.record(parsed.status, applied.hasChangedStatus ? 1 : 0, { user }, [id]);
    this.outcomes.record(device, { _id: id, user }, parsed, hasChanged);
    return applied;
  }
}
