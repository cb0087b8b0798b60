import { Injectable } from '@nestjs/common';
import { MINUTE_MS, SECOND_MS } from '../common/durations';
import { Sweep } from '../infrastructure/sweeps/sweep.decorator';
import { NoticeMails } from './notice-mails.service';
import { PlanNotices } from './plan-notices.service';

/** Mails owners what has happened. Safe to run in several processes. */
@Injectable()
export class NoticesScheduler {
  constructor(
    private readonly mails: NoticeMails,
    private readonly plans: PlanNotices,
  ) {}

  @Sweep(15 * SECOND_MS)
  sendMails(): Promise<void> {
    return this.mails.sendDue();
  }

  @Sweep(10 * MINUTE_MS)
  checkPlans(): Promise<void> {
    return this.plans.check();
  }
}
