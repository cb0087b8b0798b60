import { Injectable } from '@nestjs/common';
import { Clock, latestNow } from '../../common/clock';
import { HOUR_MS, MINUTE_MS } from '../../common/durations';
import { Sweep } from '../../infrastructure/sweeps/sweep.decorator';
import { WebhooksConfig } from '../../config/sections/webhooks.config';
import { SubscriptionPauseService } from './subscription-pause.service';
import { NoticeRecorder } from '../../notices/notice-recorder.service';
import { type FailingSubscription, SubscriptionPauseRepository } from './subscription-pause.repository';

const BATCH_SIZE = 100;

/** Pauses subscriptions whose endpoint keeps failing. Idempotent: may run in several processes. */
@Injectable()
export class AutoPauseScheduler {
  constructor(
    private readonly subscriptions: SubscriptionPauseRepository,
    private readonly pausing: SubscriptionPauseService,
    private readonly notices: NoticeRecorder,
    private readonly config: WebhooksConfig,
    private readonly clock: Clock,
  ) {}

  /**
   * Pauses subscriptions with at least `pauseAfterFailures` failed attempts over at least `pauseAfterHours`, and no
   * success since.
   */
  @Sweep(MINUTE_MS)
  async pauseFailing(): Promise<void> {
    const now = this.clock.now();
    const since = new Date(now.getTime() - this.config.pauseAfterHours * HOUR_MS);
    const { pauseAfterFailures } = this.config;
    for (;;) {
      const failing = await this.subscriptions.listFailing(since, pauseAfterFailures, BATCH_SIZE);
      for (const subscription of failing)
        await this.pausing.pause(subscription._id, subscription, pauseNote(subscription, now));
      if (failing.length < BATCH_SIZE) return;
    }
  }

  /** Adds notices for the owners of subscriptions that the service paused. */
  @Sweep(MINUTE_MS)
  async notePauses(): Promise<void> {
    for (;;) {
      const paused = await this.subscriptions.listPauseNotices(latestNow(this.clock.now()), BATCH_SIZE);
      for (const subscription of paused) {
        const { _id: id, user, name = subscription.deliveryUrl, notes, pauseNoticeDueAt } = subscription;
        await this.notices.recordPause(
          user,
          { id, name: `"${name}"`, reason: notes.at(-1)?.text },
          pauseNoticeDueAt,
        );
        await this.subscriptions.setPauseNoted(subscription);
      }
      if (paused.length < BATCH_SIZE) return;
    }
  }
}

function pauseNote({ failingSince, failingAttempts }: FailingSubscription, now: Date): string {
  const hours = Math.floor((now.getTime() - failingSince.getTime()) / HOUR_MS);
  return (
    `Paused: all ${failingAttempts} attempts of the last ${hours} hours failed, ` +
    `the first at ${failingSince.toISOString()}. Fix the endpoint, then set isActive to true`
  );
}
