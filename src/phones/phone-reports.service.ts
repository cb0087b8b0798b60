import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../auth/account-scope';
import { ReportsService } from '../messages/reports/reports.service';
import type { StatusReport } from '../messages/reports/status-report';
import { DispatchQueue } from '../gateway/waves/dispatch.queue';

/** Applies the reports of phones, and has the messages that a phone did not send move to another one. */
@Injectable()
export class PhoneReports {
  constructor(
    private readonly reports: ReportsService,
    private readonly queue: DispatchQueue,
  ) {}

  /**
   * Applies a phone's report. Reports may arrive in any order and repeatedly.
   * @throws MessageNotFound if the device has no such message, and had none.
   */
  async apply(
    account: AccountScope,
    device: Types.ObjectId,
    id: Types.ObjectId,
    report: StatusReport,
  ): Promise<void> {
    const { move } = await this.reports.apply(account, device, id, report);
    if (move) await this.queue.enqueue([{ ...move, user: account.user }]);
  }
}
