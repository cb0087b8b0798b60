import { Injectable } from '@nestjs/common';
import type { Types } from 'mongoose';
import type { AccountScope } from '../../auth/account-scope';
import { TaskLimiter } from '../../common/task-limiter';
import { CancellationService } from '../../gateway/cancellation/cancellation.service';
import { BatchNotFound, MessageNotFound } from '../../messages/messages.errors';
import { PhoneFetchService } from '../phone-fetch.service';
import { PhoneReports } from '../phone-reports.service';
import { type ReportedState, readStates } from './reported-states';

const MAX_CONCURRENT_REPORTS = 50;

/** Applies what the app reports on its messages. */
@Injectable()
export class SmsGateReports {
  constructor(
    private readonly reports: PhoneReports,
    private readonly cancellation: CancellationService,
    private readonly fetches: PhoneFetchService,
  ) {}

  /** @throws TooManyReports, DeviceNotFound; ids of no message of the device are ignored. */
  async apply(account: AccountScope, device: Types.ObjectId, body: unknown): Promise<void> {
    const states = readStates(body);
    const received = states.flatMap((state) => (state.kind === 'received' ? [state.id] : []));
    const cancelled = states.flatMap((state) => (state.kind === 'cancelled' ? [state.id] : []));
    const limiter = new TaskLimiter(MAX_CONCURRENT_REPORTS);
    await Promise.all([
      ...states.map((state) => limiter.run(() => this.report(account, device, state))),
      received.length > 0 && this.fetches.acknowledge(account, device, received),
      cancelled.length > 0 && this.confirm(account, device, cancelled),
    ]);
  }

  private async report(account: AccountScope, device: Types.ObjectId, state: ReportedState): Promise<void> {
    if (state.kind !== 'status') return;
    try {
      await this.reports.apply(account, device, state.id, state.report);
    } catch (failure) {
      if (!(failure instanceof MessageNotFound)) throw failure;
    }
  }

  /** Messages that the app was not asked to cancel are acknowledged. */
  private async confirm(
    account: AccountScope,
    device: Types.ObjectId,
    ids: readonly Types.ObjectId[],
  ): Promise<void> {
    try {
      await this.cancellation.confirm(account, device, ids);
    } catch (failure) {
      if (!(failure instanceof BatchNotFound)) throw failure;
    }
    await this.fetches.acknowledge(account, device, ids);
  }
}
